// The copy of a scan that Huffman codes are read from.
#include "jpeg_segments.cuh"

#define HOLE 16  // bytes of zeros that no encoder writes, unless zeros are ends of blocks

// The sums over the threads before. All threads must come here.
__device__ Sums sums_before(Sums own, Sums* shared) {
    shared[threadIdx.x] = own;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        Sums other = {};
        if (threadIdx.x >= step) other = shared[threadIdx.x - step];
        __syncthreads();
        for (int c = 0; c < COMPONENTS; c++) shared[threadIdx.x].values[c] += other.values[c];
        __syncthreads();
    }
    Sums before = {};
    if (threadIdx.x) before = shared[threadIdx.x - 1];
    __syncthreads();
    return before;
}

__device__ int sum_before(int own, Shared* shared) {
    return sums_before({own}, shared->sums).values[0];
}

// Calls `f(i, byte)` for the bytes of the file from the scan on, in units of 16 aligned bytes.
struct Units {
    const Sample& s;
    const int scan, shift;

    __device__ Units(const Sample& s, int scan) : s(s), scan(scan), shift((size_t)s.data & 15) {}

    __device__ int first() const { return (scan + shift) >> 4; }
    __device__ int end() const { return (s.length + shift + 15) >> 4; }
    __device__ int start(int unit) const { return max(16 * unit - shift, scan); }

    template <class F>
    __device__ void each_byte(int unit, F f) const {
        const int from = 16 * unit - shift;
        if (from < scan || from + 16 > s.length) {
            for (int i = start(unit); i < min(from + 16, s.length); i++) f(i, s.data[i]);
            return;
        }
        const uint4 four = *(const uint4*)(s.data + from);
        const unsigned words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 16; k++) f(from + k, (u8)(words[k / 4] >> (8 * (k % 4))));
    }
};

// Writes bytes one after the other. The first byte of a word becomes the highest.
struct ByteWriter {
    u8* const to;
    const int first;
    int at;
    unsigned word;

    __device__ ByteWriter(u8* to, int at) : to(to), first(at), at(at), word(0) {}

    __device__ void write(u8 value) {
        word = word << 8 | value;
        if (++at % 4 == 0) flush();
    }

    __device__ void flush() const {
        const int start = (at - 1) / 4 * 4;
        if (at == start + 4 && first <= start)
            *(unsigned*)(to + start) = word;
        else
            for (int i = max(start, first); i < at; i++) to[i ^ 3] = word >> (8 * (at - 1 - i));
    }
};

// Copies the scan up to its end, or the next marker, without the zeros behind bytes of 0xFF.
__device__ void copy_scan(const Sample& s, Shared* shared) {
    const Units units(s, shared->scan);
    const int count = (units.end() - units.first() + blockDim.x - 1) / blockDim.x;
    const int first = min(units.first() + (int)threadIdx.x * count, units.end());
    const int last = min(first + count, units.end());
    const int start = units.start(first);
    const bool follows = first < last && start > shared->scan && s.data[start - 1] == 0xFF;
    if (threadIdx.x == 0) shared->length = s.length;
    __syncthreads();
    int kept = 0, marker = s.length;
    bool behind = follows;
    for (int unit = first; unit < last; unit++)
        units.each_byte(unit, [&](int i, u8 value) {
            if (behind && value) marker = min(marker, i - 1);
            kept += !(behind && !value);
            behind = value == 0xFF;
        });
    if (marker < s.length) atomicMin(&shared->length, marker);
    const int before = sum_before(kept, shared), end = shared->length;
    ByteWriter writer(s.scan, before);
    behind = follows;
    int zeros = 0;
    if (first < last)
        while (zeros < HOLE - 1 && start - zeros > shared->scan && !s.data[start - zeros - 1]) zeros++;
    bool has_hole = false;
    for (int unit = first; unit < last; unit++)
        units.each_byte(unit, [&](int i, u8 value) {
            if (i < end && !(behind && !value)) writer.write(value);
            behind = value == 0xFF;
            zeros = value ? 0 : zeros + 1;
            has_hole |= zeros >= HOLE && i < end;
        });
    if (has_hole && !shared->zeros_are_flat) shared->damaged = true;
    if (writer.at % 4) writer.flush();
    __syncthreads();
    const int stop = min(units.start(last), s.length);
    if ((start < end && end <= stop) || (threadIdx.x == 0 && end <= start)) {
        for (int i = 0; i < 4; i++) s.scan[(writer.at + i) ^ 3] = 0;
        shared->length = writer.at;
    }
    __syncthreads();
}
