// Means and deviations along axes, with the same result in every run. `reduce` sums over runs. A
// run has `length` steps along a reduced axis, each of `period` neighboring elements with separate
// statistics. `finish` adds the sums of several blocks, and the sums along the axes around the
// runs.
//
// The sums are of the differences from an origin, and of their squares, in double. If the origin is
// the first number of a sum, one pass gives means and deviations. The loss is small even if numbers
// are far from 0 and close together.
#include "../kernels/common.cuh"
#include "../kernels/lanes.cuh"
#include "sums.cuh"

// Of a sample (`Reduced`), `runs`, `length` and `period` are the extents described above. A block
// reads `lanes` numbers of a column at once. `splits` blocks divide a run into `part` steps each,
// so the sums are partial[runs][splits][period]. `origins` is 0 for origins of 0; `means` and
// `factors` are 0 if they are not needed. `statistics` is their number, `parts` the number of
// partial sums of each, and `summed` the number of elements of each. `divisor` divides the sums of
// squares; if it is not positive, variances are 0. `kept` and `reduced` are the extents of the
// OUTER axes around the runs, with 1 for reduced or kept axes. `steps` counts runs.

// Packs that a thread awaits at a time, limited by its registers.
constexpr int UNROLLED = sizeof(Near) * COLUMNS <= 16 ? 8 : 4;

// Removes the last digit of a number in this base.
template <class I>
__device__ inline I digit(I& number, I base) {
    const I rest = quotient(number, base), last = number - rest * base;
    number = rest;
    return last;
}

__device__ inline Near origin_of(const Reduced& s, i64 place) {
    return s.origins ? (Near)s.origins[place] : 0;
}

// Sums packs that lie `stride` apart, from number `at` on. Packs may start before the first number
// and end after the last. `origins_of()` is called after the reads of the first packs have started.
template <class Origins>
__device__ inline void add_packs(const In* data, Index at, Index end, Index stride,
                                 const Origins& origins_of, SumsOf<Near> (&sums)[COLUMNS]) {
    typedef typename Bits<sizeof(Pack<In, PACK>)>::type Read;
    Read packs[UNROLLED];
    const Index whole = max(end - PACK + 1, (Index)0);
    const auto is_whole = [&](Index place) { return place >= 0 && place < whole; };
    const auto read = [&] {
#pragma unroll
        for (int k = 0; k < UNROLLED; k++)
            if (is_whole(at + k * stride)) packs[k] = *(const Read*)(data + at + k * stride);
    };
    read();
    Near origins[COLUMNS];
    origins_of(origins);
    const Index first = at, last = end - ((end - at) & (PACK - 1));
    while (at < end) {
#pragma unroll
        for (int k = 0; k < UNROLLED; k++)
            if (is_whole(at + k * stride)) {
                const auto numbers = same_bits<Pack<In, PACK>>(packs[k]);
#pragma unroll
                for (int j = 0; j < PACK; j++)
                    add(numbers.values[j], origins[j % COLUMNS], sums[j % COLUMNS]);
            }
        at += UNROLLED * stride;
        if (at < end) read();
    }
    const auto add_cut = [&](Index place) {
#pragma unroll
        for (int j = 0; j < PACK; j++)
            if (0 <= place + j && place + j < end)
                add(data[place + j], origins[j % COLUMNS], sums[j % COLUMNS]);
    };
    if (first < 0) add_cut(first);
    if (max(first, (Index)0) <= last && last < end && (last - first) % stride == 0) add_cut(last);
}

// Sums: block (x, i) works on sample i. Threads read adjacent packs, so with packs all threads of a
// block work on one run. Packs may contain several columns of a narrow period; wide periods are
// aligned to packs.
extern "C" __global__ void reduce(const Reduced* samples) {
    extern __shared__ unsigned char shared_memory[];
    const Reduced& s = samples[blockIdx.y];
    Sums* const shared = (Sums*)shared_memory;
    const Index period = COLUMNS < PACK ? 1 : s.period, length = s.length, runs = s.runs;
    const Index splits = s.splits;
    const int columns = min(period, (Index)blockDim.x);
    const int width = columns * (int)s.lanes;  // of what is read of a run at once
    const int together = PACK > 1 ? 1 : quotient((int)blockDim.x, width);  // runs
    int number = threadIdx.x * PACK;
    const int place = PACK > 1 ? number >= width : quotient(number, width);
    number -= place * width;
    const Index chunks = quotient(period + columns - 1, (Index)columns);
    const Index items = quotient(runs + together - 1, (Index)together) * chunks * splits;
    for (Index item = blockIdx.x; item < items; item += gridDim.x) {
        Index rest = item;
        const Index split = digit(rest, splits), kept = digit(rest, chunks) * columns;
        const Index begin = split * (Index)s.part, end = min(begin + (Index)s.part, length);
        const Index first_run = rest * together, run = first_run + place;
        const In* data = s.source + (run * length + begin) * period;
        const int before = (u64)data / sizeof(In) % PACK;  // numbers behind a pack's begin
        SumsOf<Near> sums[COLUMNS] = {};
        const Index column = kept + number % columns - before;  // of a thread's first number
        if (place < together && run < runs && column < period) {
            const auto origins_of = [&](Near (&origins)[COLUMNS]) {
                Index outer = run;
                i64 origin = 0;
                for (int d = OUTER - 1; d >= 0; d--)
                    origin += digit(outer, (Index)(s.kept[d] * s.reduced[d])) * s.origin_steps[d];
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) {
                    const Index own = (column + j + period * PACK) % period;
                    origins[j] = origin_of(s, origin + own * s.origin_step);
                }
            };
            add_packs(data, number / columns * period + column, (end - begin) * period,
                      (Index)s.lanes * period, origins_of, sums);
        }
        const int row = quotient(number, columns) * together + place;
        if (place < together)
            for (int j = 0; j < COLUMNS; j++)
                shared[PACK > 1 ? threadIdx.x * COLUMNS + j : row * columns + number % columns] = {
                    (double)sums[j].differences, (double)sums[j].squares};
        add_rows(shared, together * columns, together * width * COLUMNS / PACK);
        for (int i = threadIdx.x; i < together * columns; i += blockDim.x) {
            const Index of_run = first_run + quotient(i, columns), of_period = kept + i % columns;
            if (of_run < runs && of_period < period)
                ((Sums*)s.partial)[(of_run * splits + split) * period + of_period] =
                    shared[PACK > 1 ? (i + before) % columns : i];
        }
        __syncthreads();
    }
}

// Finishes statistics: block (x, i) works on the statistics of sample i, or of all samples that
// belong `together`. `lanes` threads, a power of 2, compute a statistic from at most `most_parts`
// sums a sample.
extern "C" __global__ void finish(
    const Reduced* samples, int together, int lanes, i64 most_parts, double scale, double epsilon) {
    extern __shared__ unsigned char shared_memory[];
    Sums* const shared = (Sums*)shared_memory;
    samples += blockIdx.y;
    const Reduced& first = *samples;
    const int columns = blockDim.x / lanes, column = threadIdx.x % columns;
    for (i64 at = blockIdx.x * columns; at < first.statistics; at += gridDim.x * columns) {
        const i64 statistic = at + column;
        i64 most = statistic < first.statistics ? together * most_parts : 0;
        Sums sums = {};
        for (i64 part = threadIdx.x / columns; part < most; part += lanes) {
            i64 sample = part, kept = statistic, run = 0;
            i64 rest = digit(sample, most_parts);
            const Reduced& s = samples[sample];
            if (rest >= s.parts) continue;
            const i64 split = digit(rest, (i64)s.splits), of_period = digit(kept, (i64)s.period);
            for (int d = OUTER - 1; d >= 0; d--)
                run += (digit(rest, s.reduced[d]) + digit(kept, s.kept[d])) * s.steps[d];
            sums.add(((const Sums*)s.partial)[(run * s.splits + split) * s.period + of_period]);
        }
        shared[threadIdx.x] = sums;
        add_rows(shared, columns, lanes * columns);
        sums = shared[column];
        if (threadIdx.x < columns && most) {
            if (first.means) {
                i64 kept = statistic, place = digit(kept, first.period) * first.origin_step;
                for (int d = OUTER - 1; d >= 0; d--)
                    place += digit(kept, first.kept[d]) * first.origin_steps[d];
                double off = 0, mean = 0;
                if (first.summed > 0) {
                    off = sums.differences / first.summed;
                    mean = origin_of(first, place) + off;
                }
                sums.squares = fmax(sums.squares - off * sums.differences, 0.0);
                first.means[statistic] = (Exact)mean;
            }
            if (first.factors) {
                first.factors[statistic] =
                    factor_of(sums.squares, first.divisor, scale, epsilon);
            }
        }
        __syncthreads();
    }
}
