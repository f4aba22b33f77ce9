// Huffman decoding of baseline JPEG. A block of threads decodes a file:
//
// 1. The threads copy the scan without its stuffed bytes, and cut it into pieces, one a thread.
// 2. A thread does not know the symbol that its piece starts with, and begins as if an MCU did.
//    Huffman codes synchronize: after some symbols the thread finds the true ones. Each thread then
//    begins anew where the thread before it ended, until no beginning changes.
// 3. Sums over the threads give each thread the number of blocks before its piece.
// 4. The threads decode once more, and write the coefficients; then they sum up those of DC.
//
// Sources: ITU-T T.81; Weissenberger and Schmidt, Accelerating JPEG Decompression on GPUs, 2021.
#include "jpeg.cuh"

#define LOOK 10  // bits of the codes that are looked up; longer ones are searched for
#define LONGEST 16
#define MOST_THREADS 1024
#define LEAST_BITS 512  // of a piece
#define PADDING 8  // less bits than these follow the last symbol
#define TABLES 4  // DC 0 and 1, AC 0 and 1
#define HOLE 16  // bytes of zeros that no encoder writes, unless zeros are ends of blocks

__constant__ u8 ZIGZAG[BLOCK] = {  // position in the block, by the order in the file
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22,
    15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// What a code tells: its bits with those of the value that follows, the value's bits, and how many
// coefficients the symbol passes over, its own included; all that are left for an end of block.
struct Step {
    unsigned short packed;

    __device__ static Step of(int symbol, bool is_dc) {
        const int size = symbol & 15, run = symbol >> 4;
        const int passes = is_dc ? 1 : size || run == 15 ? run + 1 : BLOCK;
        return {(unsigned short)((passes - 1) << 9 | size << 5 | size)};
    }
    __device__ Step with_code(int length) const { return {(unsigned short)(packed + length)}; }

    __device__ int bits() const { return packed & 31; }
    __device__ int size() const { return packed >> 5 & 15; }
    __device__ int passes() const { return (packed >> 9 & 63) + 1; }
    __device__ bool is_unknown() const { return packed >> 15; }
};
#define UNKNOWN_CODE 0x8001

struct HuffmanTable {
    Step look[1 << LOOK];  // by the next bits; 0 for a longer code
    Step steps[256];  // by the number of the symbol, without the bits of its code
    int ends[LONGEST + 1];  // behind the codes of each length, as 16 bits
    int shift[LONGEST + 1];  // from a code of each length to the number of its symbol
    int symbols;

    // `bits` is not before the end of codes that are shorter than `length`.
    __device__ Step search(unsigned bits, int length) const {
        const int next = bits >> 16, first = length;
#pragma unroll
        for (int i = 1; i < LONGEST; i++) length += i >= first && next >= ends[i];
        if (next >= ends[length]) return {UNKNOWN_CODE};
        return steps[((next >> (LONGEST - length)) + shift[length]) & 255].with_code(length);
    }

    __device__ Step find(unsigned bits) const {
        const Step step = look[bits >> (32 - LOOK)];
        return step.packed ? step : search(bits, LOOK + 1);
    }

    // Computes the codes from the counts of each length; false if there are too many.
    __device__ bool begin(const u8* counts) {
        int code = 0;
        symbols = 0;
        for (int length = 1; length <= LONGEST; length++) {
            shift[length] = symbols - code;
            code += counts[length - 1], symbols += counts[length - 1];
            if (code > 1 << length) return false;
            ends[length] = code << (LONGEST - length);
            code <<= 1;
        }
        return true;
    }
};

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
        if (shared->of_component[c] > 3 || !shared->quantization[shared->of_component[c]]) return false;
    }
    return s.data[end - 3] == 0 && s.data[end - 2] == BLOCK - 1 && s.data[end - 1] == 0;
}

// Reads the segments up to the scan. Returns the offset of the scan's data, or 0 for another kind of file.
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
    while (first < last && zeros < HOLE - 1 && start - zeros > shared->scan && !s.data[start - zeros - 1])
        zeros++;
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
    if ((start < end && end <= min(units.start(last), s.length)) || (threadIdx.x == 0 && end <= start)) {
        for (int i = 0; i < 4; i++) s.scan[(writer.at + i) ^ 3] = 0;
        shared->length = writer.at;
    }
    __syncthreads();
}

// The bits of a scan.
struct Bits {
    const unsigned* const words;
    const int last;
    int word;
    unsigned high, low, next;

    __device__ Bits(const u8* scan, int length, int bit)
        : words((const unsigned*)scan), last(length >> 2), word(bit >> 5) {
        high = load(word), low = load(word + 1), next = load(word + 2);
    }

    __device__ unsigned load(int i) const { return i <= last ? words[i] : 0; }

    // The 32 bits from this one on, which is at most 32 behind the one before.
    __device__ unsigned at(int bit) {
        if (bit >> 5 != word) {
            high = low, low = next;
            next = load(++word + 2);
        }
        return __funnelshift_l(low, high, bit & 31);
    }
};

// The value of `size` bits, of which the first is 0 for negative values.
__device__ inline int extended(unsigned bits, int size) {
    if (!size) return 0;
    const int value = bits >> (32 - size);
    return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

// Decodes the symbols that begin in a piece.
class Decoder {
  public:
    Place place;
    int blocks;  // that are complete

    __device__ Decoder(const Sample& s, const Shared* shared)
        : s(s), shared(shared), planes(s.height, s.width, s.sampling) {}

    __device__ void count(Place from, int end) {
        start(from, 0);
        Bits bits(s.scan, shared->length, place.bit);
        while (place.bit < end) pass((place.index ? ac : dc)->find(bits.at(place.bit)));
    }

    // Writes the coefficients, given the number of blocks before the piece. False if there is damage.
    __device__ bool write(Place from, int end, int before) {
        start(from, before);
        Bits bits(s.scan, shared->length, place.bit);
        const int all = planes.blocks();
        bool good = true;
        while (place.bit < end && blocks < all) {
            short* const block = coefficients(s, planes, blocks / planes.blocks_of_mcu(), place.block);
            for (const int number = blocks; place.bit < end && blocks == number;) {
                const unsigned next = bits.at(place.bit);
                const Step step = (place.index ? ac : dc)->find(next);
                const int size = step.size(), index = place.index + step.passes() - 1;
                if (size && index < BLOCK)
                    block[shared->zigzag[index]] = extended(next << (step.bits() - size), size);
                good &= !step.is_unknown() && (!size || index < BLOCK);
                pass(step);
            }
        }
        // The last symbol ends with the scan. After damage, bits are left or missing.
        const int left = 8 * shared->length - place.bit;
        if (blocks == all && before < all) good &= 0 <= left && left < PADDING;
        return good;
    }

    // Memory of the coefficients of a block of an MCU.
    __device__ static short* coefficients(const Sample& s, const Planes& planes, int mcu, int block) {
        const int component = planes.component(block);
        int at = mcu;
        if (component == 0) {
            const int line = mcu / planes.mcus_across, column = mcu - line * planes.mcus_across;
            const int y = block / planes.across, x = block - y * planes.across;
            at = (line * planes.down + y) * planes.line(0) + column * planes.across + x;
        }
        return s.coefficients + (long long)(planes.first(component) + at) * BLOCK;
    }

  private:
    const Sample& s;
    const Shared* const shared;
    const Planes planes;
    const HuffmanTable *dc, *ac;

    __device__ void start(Place from, int before) {
        place = from, blocks = before;
        select_tables();
    }

    __device__ void select_tables() {
        const int component = planes.component(place.block);
        dc = shared->tables + shared->dc[component], ac = shared->tables + shared->ac[component];
    }

    __device__ void pass(Step step) {
        place.bit += step.bits();
        place.index += step.passes();
        if (place.index < BLOCK) return;
        place.index = 0;
        place.block = place.block + 1 == planes.blocks_of_mcu() ? 0 : place.block + 1;
        blocks++;
        select_tables();
    }
};

// Files hold the differences of DC coefficients; replaces them by their sums.
__device__ void sum_dc(const Sample& s, Shared* shared) {
    const Planes planes(s.height, s.width, s.sampling);
    const int count = (planes.mcus() + blockDim.x - 1) / blockDim.x;
    const int first = threadIdx.x * count, end = min(first + count, planes.mcus());
    Sums sums = {};
    for (int mcu = first; mcu < end; mcu++)
        for (int block = 0; block < planes.blocks_of_mcu(); block++)
            sums.add(planes.component(block), *Decoder::coefficients(s, planes, mcu, block));
    sums = sums_before(sums, shared->sums);
    for (int mcu = first; mcu < end; mcu++)
        for (int block = 0; block < planes.blocks_of_mcu(); block++) {
            short* const dc = Decoder::coefficients(s, planes, mcu, block);
            sums.add(planes.component(block), *dc);
            *dc = sums.of(planes.component(block));
        }
}

__device__ void decode_scan(const Sample& s, Shared* shared) {
    const int bits = 8 * shared->length;
    const int size = max(LEAST_BITS, (bits + (int)blockDim.x - 1) / (int)blockDim.x);
    const int first = min((int)threadIdx.x * size, bits), end = min(first + size, bits);
    Decoder decoder(s, shared);
    Place from = {first, 0, 0};
    for (bool changed = true;;) {
        if (changed) decoder.count(from, end);
        shared->ends[threadIdx.x] = decoder.place;
        __syncthreads();
        changed = threadIdx.x && first < bits && shared->ends[threadIdx.x - 1] != from;
        if (changed) from = shared->ends[threadIdx.x - 1];
        if (!__syncthreads_or(changed)) break;
    }
    const int own = first < bits ? decoder.blocks : 0, before = sum_before(own, shared);
    bool good = first == bits || decoder.write(from, end, before);
    if (threadIdx.x == blockDim.x - 1) good &= before + own >= Planes(s.height, s.width, s.sampling).blocks();
    if (!good) shared->damaged = true;
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) decode_entropy(const Sample* samples) {
    extern __shared__ unsigned char shared_memory[];
    Shared* const shared = (Shared*)shared_memory;
    const Sample s = samples[blockIdx.y];
    if (threadIdx.x == 0) {
        for (int i = 0; i < TABLES; i++) shared->counts[i] = shared->quantization[i] = 0;
        shared->damaged = false;
        shared->scan = read_segments(s, shared);
    }
    for (int i = threadIdx.x; i < BLOCK; i += blockDim.x) shared->zigzag[i] = ZIGZAG[i];
    __syncthreads();
    if (shared->scan) build_tables(s, shared);
    __syncthreads();
    if (shared->scan && !shared->damaged) {
        store_quantization(s, shared);
        copy_scan(s, shared);
        decode_scan(s, shared);
        __syncthreads();
        sum_dc(s, shared);
    }
    if (threadIdx.x == 0) *s.damaged = !shared->scan || shared->damaged;
}
