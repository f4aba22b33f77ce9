// What the threads of a file share, and the segments before the scan. Source: ITU-T T.81, annex B.
#include "jpeg_huffman.cuh"

#define MOST_THREADS 1024
#define TABLES 4  // DC 0 and 1, AC 0 and 1

__constant__ u8 ZIGZAG[BLOCK] = {  // position in the block, by the order in the file
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22,
    15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// Where the decoding of a scan is: the next bit, the block within the MCU, and the coefficient.
struct Place {
    int bit, block, index;

    __device__ bool operator!=(const Place& other) const {
        return bit != other.bit || block != other.block || index != other.index;
    }
};

struct Sums {
    int values[COMPONENTS];

    __device__ void add(int component, int value) {
        for (int c = 0; c < COMPONENTS; c++) values[c] += c == component ? value : 0;
    }
    __device__ int of(int component) const {
        return component == 0 ? values[0] : component == 1 ? values[1] : values[2];
    }
};

struct Shared {
    HuffmanTable tables[TABLES];
    u8 zigzag[BLOCK];
    Place ends[MOST_THREADS];
    Sums sums[MOST_THREADS];
    int counts[TABLES];  // offset in the file of the counts of each table; 0 for none
    int quantization[4];  // offset in the file of each table; 0 for none
    int of_component[COMPONENTS];  // table of quantization
    int ids[COMPONENTS];
    int dc[COMPONENTS], ac[COMPONENTS];  // tables of each component
    int scan;  // offset in the file of the scan's data; 0 for a file of another kind
    bool zeros_are_flat;  // a code of zeros is the end of a block for all components
    int length;  // bytes of the scan without stuffed bytes
    bool damaged;
};
static_assert(sizeof(Shared) <= SHARED_BYTES, "the launch gives a block this memory");

__device__ inline int components(const Sample& s) { return s.sampling & GRAY ? 1 : COMPONENTS; }
__device__ inline int two_bytes(const u8* at) { return at[0] << 8 | at[1]; }

__device__ bool read_quantization(const Sample& s, Shared* shared, int at, int end) {
    while (at < end) {
        if (s.data[at] > 3) return false;  // baseline JPEG has four tables, of bytes
        shared->quantization[s.data[at]] = at + 1;
        at += 1 + BLOCK;
    }
    return at == end;
}

__device__ bool read_huffman(const Sample& s, Shared* shared, int at, int end) {
    while (at + LONGEST < end) {
        const int number = s.data[at] >> 4 << 1 | (s.data[at] & 15);
        int symbols = 0;
        for (int i = 1; i <= LONGEST; i++) symbols += s.data[at + i];
        if (s.data[at] & 0xEE || symbols > 256) return false;
        shared->counts[number] = at + 1;
        at += 1 + LONGEST + symbols;
    }
    return at == end;
}

__device__ bool read_frame(const Sample& s, Shared* shared, int at, int end) {
    const int count = components(s);
    if (end - at != 6 + 3 * count || two_bytes(s.data + at + 1) != s.height ||
        two_bytes(s.data + at + 3) != s.width || s.data[at + 5] != count)
        return false;
    for (int c = 0; c < count; c++) {
        shared->ids[c] = s.data[at + 6 + 3 * c];
        shared->of_component[c] = s.data[at + 8 + 3 * c];
    }
    return count == 1 || s.data[at + 7] == s.sampling;
}

__device__ bool read_scan(const Sample& s, Shared* shared, int at, int end) {
    const int count = components(s);
    if (end - at != 4 + 2 * count || s.data[at] != count) return false;
    for (int c = 0; c < count; c++) {
        const int tables = s.data[at + 2 + 2 * c];
        if (s.data[at + 1 + 2 * c] != shared->ids[c] || tables & 0xEE) return false;
        shared->dc[c] = tables >> 4, shared->ac[c] = 2 + (tables & 15);
        if (!shared->counts[shared->dc[c]] || !shared->counts[shared->ac[c]]) return false;
        const int quantization = shared->of_component[c];
        if (quantization > 3 || !shared->quantization[quantization]) return false;
    }
    return s.data[end - 3] == 0 && s.data[end - 2] == BLOCK - 1 && s.data[end - 1] == 0;
}

// Reads the segments up to the scan. Returns the offset of the scan's data, or 0 for another kind of
// file.
__device__ int read_segments(const Sample& s, Shared* shared) {
    bool has_frame = false;
    for (int at = 2; at + 4 <= s.length && s.data[at] == 0xFF;) {
        const int marker = s.data[at + 1], body = at + 4, end = at + 2 + two_bytes(s.data + at + 2);
        if (end < body || end > s.length) return 0;
        bool good = true;
        if (marker == 0xDB) good = read_quantization(s, shared, body, end);
        if (marker == 0xC4) good = read_huffman(s, shared, body, end);
        if (marker == 0xC0) good = has_frame = read_frame(s, shared, body, end);
        if (marker == 0xDA) return has_frame && read_scan(s, shared, body, end) ? end : 0;
        if (!good) return 0;
        at = end;
    }
    return 0;
}

__device__ void build_tables(const Sample& s, Shared* shared) {
    if (threadIdx.x < TABLES && shared->counts[threadIdx.x])
        if (!shared->tables[threadIdx.x].begin(s.data + shared->counts[threadIdx.x]))
            shared->damaged = true;
    __syncthreads();
    for (int i = threadIdx.x; i < TABLES * 256; i += blockDim.x) {
        const int number = i >> 8, symbol = i & 255;
        if (!shared->counts[number] || symbol >= shared->tables[number].symbols) continue;
        const int value = s.data[shared->counts[number] + LONGEST + symbol];
        shared->tables[number].steps[symbol] = Step::of(value, number < 2);
        if (number < 2 && value > 15) shared->damaged = true;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        shared->zeros_are_flat = true;
        for (int c = 0; c < components(s); c++)
            shared->zeros_are_flat &= shared->tables[shared->ac[c]].steps[0].passes() == BLOCK;
    }
    for (int i = threadIdx.x; i < TABLES << LOOK; i += blockDim.x) {
        if (!shared->counts[i >> LOOK]) continue;
        HuffmanTable& table = shared->tables[i >> LOOK];
        const unsigned bits = (unsigned)i << (32 - LOOK);
        Step step = {0};
        if (bits >> 16 < table.ends[LOOK]) step = table.search(bits, 1);
        table.look[i & ((1 << LOOK) - 1)] = step;
    }
}

__device__ void store_quantization(const Sample& s, const Shared* shared) {
    for (int i = threadIdx.x; i < components(s) * BLOCK; i += blockDim.x) {
        const u8* table = s.data + shared->quantization[shared->of_component[i / BLOCK]];
        s.quantization[i / BLOCK * BLOCK + shared->zigzag[i % BLOCK]] = table[i % BLOCK];
    }
}
