// Means and deviations along axes, the same in every run. `reduce_sample` sums the elements of runs:
// `length` steps along a reduced axis, each of `period` neighbours that are kept apart. `finish_samples`
// adds up what belongs together: sums of several blocks, and those along the axes around the runs.
//
// With MOMENTS one pass gives both: sums of differences from the first number that is summed, and
// of their squares, in double, so little is lost where numbers are far from 0 and close together.
#include "common.cuh"

struct Runs {
    u64 in;
    u64 means;    // if not 0, the squared differences from these are summed; of type In: MOMENTS
    u64 partial;  // double[runs][splits][period][1 + MOMENTS]
    i64 runs, length, period;
    i64 lanes;    // threads that share a column of a run
    i64 splits;   // blocks that share a run
    i64 mean_step;
    i64 extents[OUTER], mean_steps[OUTER];  // of the axes that run over the runs
};

// Takes the last digit off a number to this base.
__device__ inline i64 digit(i64& number, i64 base) {
    const i64 rest = quotient(number, base), last = number - rest * base;
    number = rest;
    return last;
}

constexpr int UNROLLED = sizeof(In) == 1 ? 16 : 8;  // numbers that a thread awaits at a time

// Integers are summed exactly.
template <class T, bool EXACT>
struct Sum {
    typedef double type;
};
template <class T>
struct Sum<T, true> {
    typedef i64 type;
};

template <class T>
__device__ inline double sum(const In* data, i64 step, i64 begin, i64 end, i64 lanes) {
    T total = 0;
#pragma unroll UNROLLED
    for (i64 r = begin; r < end; r += lanes) total += (T)data[r * step];
    return (double)total;
}

__device__ inline double squares(
    const In* data, i64 step, i64 begin, i64 end, i64 lanes, Exact mean) {
    double total = 0;
#pragma unroll UNROLLED
    for (i64 r = begin; r < end; r += lanes) {
        const Exact difference = (Exact)data[r * step] - mean;
        total += (double)(difference * difference);
    }
    return total;
}

#if MOMENTS
// Adds what some numbers `stride` apart are off the origin: UNROLLED, or only `count`.
template <bool all>
__device__ inline void add_moments(
    const In* data, i64 stride, int count, double origin, double (&totals)[2]) {
    In numbers[UNROLLED];
#pragma unroll
    for (int k = 0; k < UNROLLED; k++, data += stride)
        if (all || k < count) numbers[k] = *data;
#pragma unroll
    for (int k = 0; k < UNROLLED; k++) {
        if (!all && k >= count) break;
        const double difference = (double)numbers[k] - origin;
        totals[0] += difference;
        totals[1] += difference * difference;
    }
}

__device__ inline void moments(
    const In* data, i64 step, i64 begin, i64 end, i64 lanes, double origin, double (&totals)[2]) {
    const i64 stride = lanes * step;
    i64 left = begin < end ? quotient(end - begin + lanes - 1, lanes) : 0;
    for (data += begin * step; left >= UNROLLED; left -= UNROLLED, data += UNROLLED * stride)
        add_moments<true>(data, stride, UNROLLED, origin, totals);
    if (left) add_moments<false>(data, stride, (int)left, origin, totals);
}
#endif

// Adds up what the lanes of each column have; every thread of the block must call it.
__device__ inline double gathered(double total, i64 lane, i64 lanes, i64 columns) {
    extern __shared__ unsigned char shared_memory[];
    double* sums = (double*)shared_memory;
    sums[threadIdx.x] = total;
    __syncthreads();
    for (i64 left = lanes; left > 1;) {
        const i64 half = (left + 1) / 2;
        if (lane < left - half) sums[threadIdx.x] += sums[threadIdx.x + half * columns];
        left = half;
        __syncthreads();
    }
    total = sums[threadIdx.x];
    __syncthreads();
    return total;
}

// Whether this is the last of some blocks to get here; then it sees what the others wrote.
__device__ inline bool is_last(unsigned* counter, unsigned blocks) {
    extern __shared__ unsigned char shared_memory[];
    unsigned* before = (unsigned*)shared_memory;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *before = atomicAdd(counter, 1u);
    __syncthreads();
    const bool last = *before + 1 == blocks;
    __syncthreads();
    __threadfence();
    return last;
}

// Sums what one of some blocks has to sum of a sample.
__device__ inline void reduce_sample(const Runs s, int block, int blocks) {
    typedef Sum<In, Type<In>::kind != FLOATING && sizeof(In) <= 4>::type Total;
    const i64 columns = s.period < blockDim.x ? s.period : blockDim.x;
    const i64 together = quotient(blockDim.x, columns * s.lanes);  // runs that a block sums at once
    i64 place = threadIdx.x;
    const i64 column = digit(place, columns), own_lane = digit(place, s.lanes);
    const i64 lane = place < together ? own_lane : s.lanes;
    const i64 chunks = quotient(s.period + columns - 1, columns);
    const i64 items = quotient(s.runs + together - 1, together) * chunks * s.splits;
    for (i64 item = block; item < items; item += blocks) {
        i64 rest = item;
        const i64 split = digit(rest, s.splits), chunk = digit(rest, chunks);
        const i64 run = rest * together + place;
        const i64 kept = chunk * columns + column;
        const bool is_part = place < together && run < s.runs && kept < s.period;
        double totals[1 + MOMENTS] = {};
        if (is_part) {
            const In* data = (const In*)s.in + run * s.length * s.period + kept;
            const i64 begin = quotient(s.length * split, s.splits) + lane;
            const i64 end = quotient(s.length * (split + 1), s.splits);
            i64 mean = kept * s.mean_step;
            rest = run;
            for (int d = OUTER - 1; d >= 0; d--)
                mean += digit(rest, s.extents[d]) * s.mean_steps[d];
#if MOMENTS
            const double origin = (double)((const In*)s.means)[mean];
            moments(data, s.period, begin, end, s.lanes, origin, totals);
#else
            if (s.means)
                totals[0] =
                    squares(data, s.period, begin, end, s.lanes, ((const Exact*)s.means)[mean]);
            else
                totals[0] = sum<Total>(data, s.period, begin, end, s.lanes);
#endif
        }
        const i64 place_of_sums = (run * s.splits + split) * s.period + kept;
        for (int k = 0; k <= MOMENTS; k++) {
            const double total = gathered(totals[k], lane, s.lanes, columns);
            if (is_part && lane == 0)
                ((double*)s.partial)[place_of_sums * (1 + MOMENTS) + k] = total;
        }
    }
}

struct Group {
    u64 partial;
    u64 out;         // Exact[kept of the outer axes][period]
    u64 in, means;   // with MOMENTS: the sample, and where its means go; `out` are factors
    i64 statistics;  // how many
    i64 parts;       // partial sums of one of them
    i64 period, splits;
    i64 divisor;     // what sums are divided by; results are 0 if it is not positive
    i64 count;       // numbers of a sum
    i64 run;         // elements of a run
    // Extents of the outer axes, 1 where they are reduced or kept, and their steps in runs.
    i64 kept[OUTER], reduced[OUTER], steps[OUTER];
};

struct Finish {
    i64 most_parts;  // of a statistic of any sample
    int lanes;       // threads that share a statistic
    int is_factor;
    double scale, epsilon;
};

// Finishes statistics of a sample, or those of some samples together.
__device__ inline void finish_samples(
    const Group* samples, int together, const Finish f, int block, int blocks) {
    const Group first = *samples;
    const int lanes = f.lanes;
    const i64 columns = blockDim.x / lanes, lane = threadIdx.x / columns;
    for (i64 at = block * columns; at < first.statistics; at += blocks * columns) {
        const i64 statistic = at + threadIdx.x % columns;
        const bool is_part = lane < lanes && statistic < first.statistics;
        double totals[1 + MOMENTS] = {};
        for (i64 part = lane; is_part && part < together * f.most_parts; part += lanes) {
            const Group& s = samples[part / f.most_parts];
            i64 rest = part % f.most_parts, kept = statistic, run = 0;
            if (rest >= s.parts) continue;
            const i64 split = digit(rest, s.splits), column = digit(kept, s.period);
            for (int d = OUTER - 1; d >= 0; d--)
                run += (digit(rest, s.reduced[d]) + digit(kept, s.kept[d])) * s.steps[d];
            const i64 place = (run * s.splits + split) * s.period + column;
            for (int k = 0; k <= MOMENTS; k++)
                totals[k] += ((const double*)s.partial)[place * (1 + MOMENTS) + k];
        }
        for (int k = 0; k <= MOMENTS; k++) totals[k] = gathered(totals[k], lane, lanes, columns);
        if (!is_part || lane != 0) continue;
        double total = totals[MOMENTS];
#if MOMENTS
        double mean = 0;
        if (first.count > 0) {
            i64 kept = statistic, place = digit(kept, first.period);
            for (int d = OUTER - 1; d >= 0; d--)
                place += digit(kept, first.kept[d]) * first.steps[d] * first.run;
            const double off = totals[0] / first.count;
            mean = (double)((const In*)first.in)[place] + off;
            total = fmax(total - off * totals[0], 0.0);
        }
        ((Exact*)first.means)[statistic] = (Exact)mean;
#endif
        double value = first.divisor > 0 ? total / first.divisor : 0;
        if (f.is_factor) {
            const double deviation = sqrt(value + f.epsilon);
            value = deviation != 0 ? f.scale / deviation : 0;
        }
        ((Exact*)first.out)[statistic] = (Exact)value;
    }
}
