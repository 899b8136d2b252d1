/// Bytes at an address that is stable until the buffer has to grow.
///
/// Swift arrays may move when they are written to; libcurl requires the same address again after a send that could not
/// proceed, and texts are passed on as pointers. Filled at the end, consumed at the front.
package struct RawBuffer: ~Copyable {
    private var base: UnsafeMutableRawPointer?
    private(set) var capacity = 0
    private var start = 0
    private var end = 0

    package var count: Int { end - start }
    package var isEmpty: Bool { start == end }

    /// The bytes held; the pointer is valid until the next mutation.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base.map { $0 + start }, count: count)
    }

    package init() {}

    deinit { base?.deallocate() }

    /// Returns room for `extra` bytes at the end; they count only once committed.
    mutating func reserve(_ extra: Int) -> UnsafeMutableRawBufferPointer {
        if base == nil || end + extra > capacity {
            grow(by: extra)
        }
        return UnsafeMutableRawBufferPointer(start: base.map { $0 + end }, count: extra)
    }

    mutating func commit(_ extra: Int) {
        precondition(end + extra <= capacity)
        end += extra
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        reserve(bytes.count).copyMemory(from: bytes)
        commit(bytes.count)
    }

    package mutating func consume(_ amount: Int) {
        precondition(amount <= count)
        start += amount
        if start == end { (start, end) = (0, 0) }
    }

    /// Empties the buffer and frees memory above `keeping` bytes, so that one huge message does not stay resident.
    mutating func removeAll(keeping: Int = .max) {
        (start, end) = (0, 0)
        if capacity > keeping {
            base?.deallocate()
            base = nil
            capacity = 0
        }
    }

    private mutating func grow(by extra: Int) {
        let wanted = max(count + extra, min(capacity * 2, capacity + 1 << 20), 4096)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
        if let base {
            fresh.copyMemory(from: base + start, byteCount: count)
            base.deallocate()
        }
        (start, end) = (0, count)
        base = fresh
        capacity = wanted
    }
}
