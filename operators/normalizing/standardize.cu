// Computes statistics of rows and normalizes the rows, in one launch that reads them once. Each
// block keeps its part of a row in registers until the sums of all parts are known. Devices start
// blocks in the order of their numbers. A row has at most a quarter of the blocks that a device
// runs at once, so the blocks of a row usually run together. If they do not, because other work
// holds the device, a block sums the whole row itself.
#include "../kernels/common.cuh"
#include "../kernels/lanes.cuh"
#include "sums.cuh"
#include "normalize.cuh"

// A row consists of steps of `period` neighboring elements with separate statistics; ONE means that
// the period is 1. `parts` blocks divide a row; their sums are partial[parts][period]. A thread has
// at most KEPT packs of the row, which lie `step` apart, a multiple of the period. `divisor`
// divides the sums of squares; if it is not positive, variances are 0.
constexpr int BLOCKS = KEPT * sizeof(Pack<In, LANES>) > 128 ? 4 : 8;  // of a multiprocessor

struct Statistic {
    Exact mean, factor;
};

// Sums of integers are exact, so origins can be subtracted later.
constexpr bool LATER = sizeof(Near) == sizeof(int);

__device__ inline void add_pack(
    const Pack<In, LANES>& numbers, const Near (&origins)[HELD], SumsOf<Near> (&sums)[HELD]) {
    if constexpr (LATER && ONE && LANES % 4 == 0) {  // four at a time
        const auto words = same_bits<Pack<unsigned, LANES / 4>>(numbers);
        SumsOf<Near>& sum = sums[0];
#pragma unroll
        for (const unsigned word : words.values) {
            const bool is_signed = Type<In>::kind == SIGNED;
            sum.differences = is_signed ? __dp4a((int)word, 0x01010101, sum.differences)
                                        : (int)__dp4a(word, 0x01010101u, (unsigned)sum.differences);
            sum.squares = is_signed ? __dp4a((int)word, (int)word, sum.squares)
                                    : (int)__dp4a(word, word, (unsigned)sum.squares);
        }
        return;
    }
#pragma unroll
    for (int j = 0; j < LANES; j++)
        add(numbers.values[j], LATER ? 0 : origins[j % HELD], sums[j % HELD]);
}

// Waits for sums, whose bits are all set before. Gives up after `patience` polls.
__device__ inline bool awaited(const Sums* sums, int patience, Sums& found) {
    const volatile u64* const from = (const volatile u64*)sums;
    u64 bits[2];
    while ((bits[0] = from[0]) == ~0ull || (bits[1] = from[1]) == ~0ull) {
        if (patience-- == 0) return false;
        __nanosleep(20);
    }
    found = same_bits<Sums>(bits);
    return true;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) standardize(
    const Row* rows, int blocks, int patience, double scale, double epsilon, Exact shift) {
    extern __shared__ unsigned char shared_memory[];
    Sums* const shared = (Sums*)shared_memory;
    const Row& s = rows[blockIdx.x / blocks];
    const In* const in = s.source;
    Out* const out = s.out;
    const int block = blockIdx.x % blocks, width = blockDim.x * LANES, thread = threadIdx.x;
    const int elements = s.elements, period = ONE ? 1 : s.period, step = s.step, parts = s.parts;
    const bool empty = block >= parts || elements == 0;  // found only once it cannot delay others
    const auto begin = [&](int, const auto& each) {
        // The column of a thread's first number is the column of the block's first number, and so
        // on.
        const int before = (u64)out / sizeof(Out) % LANES;
        const int first = ONE ? 0 : (block * width + period * LANES - before) % period;
        const int column = ONE ? 0 : (first + thread * LANES) % period;
        SumsOf<Near> sums[HELD] = {};
        Near origins[HELD] = {};
#pragma unroll
        for (int j = 0; j < HELD && !empty; j++)
            origins[j] = (Near)in[ONE ? 0 : (column + j) % period];
        int packs = 0;
        each([&](int, const auto& numbers) {
            packs++;
            add_pack(numbers, origins, sums);
        });
        if (LATER)
#pragma unroll
            for (int j = 0; j < HELD; j++) {
                const Near all = packs * (LANES / HELD) * origins[j];
                sums[j].squares += origins[j] * (all - 2 * sums[j].differences);
                sums[j].differences -= all;
            }
#pragma unroll
        for (int j = 0; j < HELD; j++)
            shared[thread * HELD + j] = {(double)sums[j].differences, (double)sums[j].squares};
        add_rows(shared, period, blockDim.x * HELD);
        Sums* const partial = (Sums*)s.partial;
        if (thread < period && !empty) {
            const int own = ONE ? 0 : (first + thread) % period;
            SumsOf<Near> others = {};
            const Ends<LANES, int> ends(out, elements);
            for (int i = 0; i < ends.count && block == 0; i++)
                if (ends.place(i) % period == own)
                    add(in[ends.place(i)], (Near)in[own], others);
            shared[thread].add({(double)others.differences, (double)others.squares});
            partial[block * period + own] = shared[thread];
        }
        const int together = min((int)blockDim.x / period, parts);
        bool there = true;
        if (thread < together * period && !empty) {
            Sums total = {};
            for (int i = thread; i < parts * period && there; i += together * period) {
                Sums other;
                there = awaited(partial + i, patience, other);
                total.add(other);
            }
            shared[thread] = total;
        }
        if (__syncthreads_or(!there) && thread < together * period) {
            Sums total = {};
#pragma unroll 1
            for (int i = thread; i < elements && thread < period; i += period) {
                const double difference = (Near)in[i] - (Near)in[thread];
                total.add({difference, difference * difference});
            }
            shared[thread] = total;
        }
        add_rows(shared, period, together * period);
        Statistic* const found = (Statistic*)(shared + period);
        if (thread < period && !empty) {
            const Sums total = shared[thread];
            const i64 count = elements / period;
            const double off = total.differences / count;
            const double squares = fmax(total.squares - off * total.differences, 0.0);
            found[thread] = {(Exact)((Near)in[thread] + off),
                             factor_of(squares, s.divisor, scale, epsilon)};
        }
        __syncthreads();
        Statistic held[HELD];
#pragma unroll
        for (int j = 0; j < HELD; j++) held[j] = found[ONE ? 0 : (column + j) % period];
        return [=](int place, const auto& numbers, auto& results) {
            constexpr int COUNT = sizeof(results) / sizeof(Out);
#pragma unroll
            for (int j = 0; j < COUNT; j++) {
                const Statistic of = COUNT == LANES ? held[j % HELD] : found[place % period];
                results.values[j] = normalized(numbers.values[j], of.mean, of.factor, shift);
            }
        };
    };
    each_pack<LANES, KEPT, true>(in, out, elements, block, step, begin);
}
