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
#include "jpeg_scan.cuh"

#define LEAST_BITS 512  // of a piece
#define PADDING 8  // less bits than these follow the last symbol

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
    const int blocks = Planes(s.height, s.width, s.sampling).blocks();
    bool good = first == bits || decoder.write(from, end, before);
    if (threadIdx.x == blockDim.x - 1) good &= before + own >= blocks;
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
