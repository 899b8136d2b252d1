# `make run` starts jarvis-voiced, `make test` tests it; both install what is missing first. See `make help`.
SHELL = /bin/bash
.DELETE_ON_ERROR:

PREFIX ?= /usr/local
UNITDIR ?= $(PREFIX)/lib/systemd/system
USERUNITDIR ?= $(PREFIX)/lib/systemd/user
# Read only from these folders, whatever the prefix.
SYSUSERSDIR ?= /usr/lib/sysusers.d
CATALOGDIR ?= /usr/lib/systemd/catalog
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
DESTDIR ?=
SWIFT ?= swift
STRIP ?= strip
# Runs programs that were built for another processor.
EMULATOR ?=

# make builds, even where ROOM_PROGRAMS names programs built elsewhere.
BUILD = @env -u ROOM_PROGRAMS SWIFT=$(SWIFT) scripts/build release
RELEASE_DIR ?= .build/release

.PHONY: build
build: ## build the program and its bridge for browsers (release)
	$(BUILD) jarvis-voiced jarvis-bridge >/dev/null

.PHONY: simulator
simulator: ## build the demonstration and the simulated services
	$(BUILD) jarvis-simulator >/dev/null

.PHONY: run
run: deps ## hold a spoken conversation on this machine alone, with real speech; with a key and a sound card, the daemon
	@env -u ROOM_PROGRAMS SWIFT=$(SWIFT) scripts/run

.PHONY: demo
demo: deps ## the demonstration with simulated services
	@$(MAKE) --no-print-directory simulator
	@$(RELEASE_DIR)/jarvis-simulator demo

.PHONY: deps
deps: ## install the packages needed to build and run
	@scripts/deps run

.PHONY: test
test: ## build without warnings, run all tests, check events, style and linkage
	@scripts/deps test
	@scripts/test

.PHONY: check-network
check-network: check-autobahn ## the slow checks of the network: Autobahn suite (root), TLS
	scripts/tls-check release

.PHONY: check-autobahn
check-autobahn:
	@scripts/deps slow
	scripts/autobahn release

.PHONY: bench
bench: ## measure what the program costs, also beside a client on the official SDK (BENCH="--quick --plot FILE.svg")
	@scripts/deps bench || { echo "bench: without the client on the official SDK"; scripts/deps run; }
	$(BUILD) jarvis-voiced VoiceBench >/dev/null
	$(RELEASE_DIR)/VoiceBench $(BENCH)

.PHONY: check-people
check-people: ## whether talkers are still heard over the box: calculated voices and rooms, the same figures every time
	$(BUILD) VoiceBench >/dev/null
	$(RELEASE_DIR)/VoiceBench relapse

.PHONY: soak
soak: deps ## hours of conversation with 10,000 interruptions (SOAK="--hours 2 --speed 20"), then one with every fault
	scripts/soak $(SOAK)
	scripts/soak --faults $(FAULTS)

.PHONY: fuzz
fuzz: deps ## feed the parsers of bytes from outside with what reaches new code (FUZZ="events 300")
	scripts/fuzz $(FUZZ)

# Does not build anything: `make && sudo make install` must not build as root.
.PHONY: install
install: ## install program, units, manual and configuration (PREFIX, DESTDIR); run `make` first
	@test -x $(RELEASE_DIR)/jarvis-voiced && test -x $(RELEASE_DIR)/jarvis-bridge || \
		{ echo "make install: nothing is built yet; run make first" >&2; exit 1; }
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(RELEASE_DIR)/jarvis-voiced $(RELEASE_DIR)/jarvis-bridge
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/jarvis-voiced $(DESTDIR)$(PREFIX)/bin/jarvis-bridge
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/jarvis-voiced/page Sources/JarvisBridge/Page/*
	install -d -m 755 $(DESTDIR)$(UNITDIR) $(DESTDIR)$(USERUNITDIR) $(DESTDIR)/etc/jarvis-voiced
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' systemd/jarvis-voiced.service \
		>$(DESTDIR)$(UNITDIR)/jarvis-voiced.service
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' systemd/jarvis-bridge.service \
		>$(DESTDIR)$(UNITDIR)/jarvis-bridge.service
	for name in voiced bridge; do sed 's|/usr/local/bin/|$(PREFIX)/bin/|' systemd/user/jarvis-$$name.service \
		>$(DESTDIR)$(USERUNITDIR)/jarvis-$$name.service; done
	chmod 644 $(DESTDIR)$(UNITDIR)/jarvis-{voiced,bridge}.service $(DESTDIR)$(USERUNITDIR)/jarvis-{voiced,bridge}.service
	for file in systemd/*.sysusers; do ! test -e $$file || \
		install -D -m 644 $$file $(DESTDIR)$(SYSUSERSDIR)/$$(basename $$file .sysusers).conf; done
	for file in systemd/*.catalog; do ! test -e $$file || \
		install -D -m 644 $$file $(DESTDIR)$(CATALOGDIR)/$${file##*/}; done
	install -d -m 755 $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(BASHDIR) \
		$(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	$(EMULATOR) $(RELEASE_DIR)/jarvis-voiced manual 1 >$(DESTDIR)$(MANDIR)/man1/jarvis-voiced.1
	$(EMULATOR) $(RELEASE_DIR)/jarvis-bridge --experimental-dump-help | $(EMULATOR) $(RELEASE_DIR)/jarvis-voiced manual 1 --other \
		>$(DESTDIR)$(MANDIR)/man1/jarvis-bridge.1
	$(EMULATOR) $(RELEASE_DIR)/jarvis-voiced manual 5 >$(DESTDIR)$(MANDIR)/man5/jarvis-voiced.toml.5
	$(EMULATOR) $(RELEASE_DIR)/jarvis-voiced --generate-completion-script bash | sed '1{/^#!/d}' >$(DESTDIR)$(BASHDIR)/jarvis-voiced
	$(EMULATOR) $(RELEASE_DIR)/jarvis-voiced --generate-completion-script zsh >$(DESTDIR)$(ZSHDIR)/_jarvis-voiced
	$(EMULATOR) $(RELEASE_DIR)/jarvis-voiced --generate-completion-script fish >$(DESTDIR)$(FISHDIR)/jarvis-voiced.fish
	install -D -m 644 systemd/70-jarvis-voiced.rules $(DESTDIR)$(PREFIX)/share/jarvis-voiced/70-jarvis-voiced.rules
	test -e $(DESTDIR)/etc/jarvis-voiced/jarvis-voiced.toml || install -m 644 \
		config/jarvis-voiced.toml $(DESTDIR)/etc/jarvis-voiced/jarvis-voiced.toml
	test -e $(DESTDIR)/etc/jarvis-voiced/stations.toml || install -m 644 \
		config/stations.toml $(DESTDIR)/etc/jarvis-voiced/stations.toml
	test -e $(DESTDIR)/etc/jarvis-voiced/bridge.toml || install -m 644 \
		config/bridge.toml $(DESTDIR)/etc/jarvis-voiced/bridge.toml
	@test -n "$(DESTDIR)" || ! test -d /run/systemd/system || { systemd-sysusers && journalctl --update-catalog && \
		systemctl daemon-reload; }
	@echo "Next: see the first lines of $(UNITDIR)/jarvis-voiced.service"

.PHONY: uninstall
uninstall: ## remove program, units and manual; the configuration stays
	@test -n "$(DESTDIR)" || ! test -d /run/systemd/system || systemctl disable --now \
		jarvis-voiced.service jarvis-bridge.service || true
	rm -f $(DESTDIR)$(PREFIX)/bin/jarvis-{voiced,bridge} $(DESTDIR)$(UNITDIR)/jarvis-{voiced,bridge}.service \
		$(DESTDIR)$(USERUNITDIR)/jarvis-{voiced,bridge}.service \
		$(DESTDIR)$(SYSUSERSDIR)/jarvis-voiced.conf $(DESTDIR)$(CATALOGDIR)/jarvis-voiced.catalog \
		$(DESTDIR)$(MANDIR)/man1/jarvis-{voiced,bridge}.1 $(DESTDIR)$(MANDIR)/man5/jarvis-voiced.toml.5 \
		$(DESTDIR)$(BASHDIR)/jarvis-voiced $(DESTDIR)$(ZSHDIR)/_jarvis-voiced $(DESTDIR)$(FISHDIR)/jarvis-voiced.fish \
		$(DESTDIR)$(PREFIX)/share/jarvis-voiced/70-jarvis-voiced.rules
	rm -rf $(DESTDIR)$(PREFIX)/share/jarvis-voiced/page
	-rmdir $(DESTDIR)$(PREFIX)/share/jarvis-voiced
	@echo "$(DESTDIR)/etc/jarvis-voiced was left as it is"

.PHONY: deb
deb: ## build the Debian packages for this distribution, into .build/deb (ARCH=arm64: on amd64 for Debian 13 on arm64)
ifeq ($(ARCH),arm64)
	scripts/deb-arm64
else ifdef ARCH
	$(error ARCH=$(ARCH) is not supported: it is arm64, or left out for this machine)
else
	@$(MAKE) --no-print-directory build simulator
	scripts/deb
endif

.PHONY: release
release: ## as root on amd64: packages, image, notes, bill of materials and checksums of this commit, into .build/dist
	scripts/release

.PHONY: format
format: ## bring the sources into the project's style
	$(SWIFT) format -i -r Sources Tools Tests Package.swift

.PHONY: clean
clean: ## remove what was built
	rm -rf .build

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22
