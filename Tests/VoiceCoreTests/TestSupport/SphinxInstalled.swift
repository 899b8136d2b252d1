import Glibc

/// Whether PocketSphinx, its English model and a synthesiser are installed.
let sphinxIsInstalled =
    access("/usr/share/pocketsphinx/model/en-us", R_OK) == 0 && access("/usr/bin/espeak-ng", X_OK) == 0
    && access("/usr/lib/\(machine)-linux-gnu/libpocketsphinx.so.3", R_OK) == 0

#if arch(arm64)
private let machine = "aarch64"
#else
private let machine = "x86_64"
#endif
