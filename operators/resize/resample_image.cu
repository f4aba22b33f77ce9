// Resamples rows and columns of images (height, width, channels) in one pass over the input.
//
// A block makes a strip, which is some rows of the result. A thread makes CHANNELS channels of one
// column of the strip. Rows of the input come in stages of ROWS. One stage is copied to shared
// memory while the block works on the stage before. Of each row a thread weighs the columns that it
// needs, TAPS at a time: all columns, unless there are MORE. Registers hold the last SLOTS of these
// sums, with row r in slot r % SLOTS. The sums are weighed for the rows of the result, which are
// written a stage later.
#include "columns.cuh"

// The table declares the struct Stack. Of its fields, `image` is the bytes of an input image,
// `pitch` the bytes of an input row, and `down` the bytes from a row of the result to the next row.
// `in_step` and `out_step` are the bytes from row to row in shared memory.

const int PACKED = SLOTS % 4 || sizeof(Work) == 8 ? 2 : 4;  // weights that are read together
const int NEVER = 1 << 30;

// A row of the result: the last input row that it weighs, and its weights. The weight of input row
// r is in slot r % SLOTS; other slots are 0.
struct alignas(16) Row {
    Pack<Work, PACKED> weights[SLOTS / PACKED];
    int last;
};
const int ROW = sizeof(Row);

__device__ inline Row& row_at(int place) { return *(Row*)(shared_memory + place); }

// Rows of a strip, in the order of the input rows, with their offsets in shared memory. A row that
// is made NEVER ends the list.
struct Rows {
    int first, end, reach;
    bool dense;  // whether no row of the input can be left out

    __device__ void weigh(const Axis& axis, const float* curves, int from, int count) const {
        for (int i = threadIdx.x; i < count; i += blockDim.x) {
            const Weighed weighed(axis, curves, from + (axis.scale < 0 ? count - 1 - i : i));
            Row& row = row_at(first + i * ROW);
            row.last = weighed.from + axis.taps - 1;
            for (int tap = 0; tap < SLOTS; tap++)
                ((Work*)row.weights)[(unsigned)(weighed.from + tap) % SLOTS] =
                    tap < axis.taps ? weighed.weight(tap) / DOT_ONE : 0;
        }
        if (threadIdx.x == 0) row_at(first + count * ROW).last = NEVER;
    }
    // Where the stage behind the one at `base` begins; `row` becomes the first that is not made yet.
    __device__ int behind(int base, int& row) const {
        if (dense) return base + ROWS;
        while (row_at(row).last < base + ROWS) row += ROW;
        return max(base + ROWS, (row_at(row).last - reach) / SLOTS * SLOTS);
    }
};

// The work of a block, in shared memory because registers are scarce.
struct Block {
    Part part;
    Results results;
    Rows rows;
    Arrival arrival;
};
static_assert(sizeof(Block) <= BLOCK_BYTES, "as much as gpu_blocks.py has room for");

// One column of a strip.
struct Column {
    Weight near[WEIGHTS];
    const Weight* more;
    int taps, channels;
    int in, out;  // bytes behind the begin of the part of the input, and of the rows of the result
    Work held[SLOTS][CHANNELS];

    // Works on the stage at `base`, whose first row is at `place`; `row` becomes the first row that
    // is not made yet. Reads of shared memory start before work on known values, because the reads
    // are slow.
    __device__ void work(int place, int base, int in_step, int& row, int to, int out_step) {
        Row current = row_at(row);
        int left = current.last - base;
        place += in;
        to += out;
        Pixels pixels;
        if (!MORE) pixels.read(place, taps, channels);
#pragma unroll
        for (int slot = 0; slot < ROWS; slot++) {
            Sum sums[CHANNELS];
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) sums[c] = NOTHING;
            if (!MORE) pixels.weigh(near, taps, sums);
            for (int t = 0; MORE && t < taps; t += TAPS) {
                const int count = min(TAPS, taps - t);
                Weight weights[WEIGHTS];
#pragma unroll
                for (int k = 0; k < WEIGHTS; k++)
                    weights[k] = more[(t / TAPS * WEIGHTS + k) * blockDim.x];
                pixels.read(place + t * channels * (int)sizeof(In), count, channels);
                pixels.weigh(weights, count, sums);
            }
            place += in_step;
            if (!MORE && slot + 1 < ROWS) pixels.read(place, taps, channels);
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) held[slot % SLOTS][c] = summed(sums[c]);
            while (left <= slot) {
                Work value[CHANNELS] = {};
#pragma unroll
                for (int k = 0; k < SLOTS * CHANNELS; k++) {
                    const int other = k / CHANNELS, c = k % CHANNELS;
                    const Work weight = current.weights[other / PACKED].values[other % PACKED];
                    if (Type<In>::kind != FLOATING || weight != 0)
                        value[c] += weight * held[other][c];
                }
                row += ROW;
                current = row_at(row);
                left = current.last - base;
#pragma unroll
                for (int c = 0; c < CHANNELS; c++)
                    ((Out*)(shared_memory + to))[c] = as_out(value[c]);
                to += out_step;
            }
        }
    }
};

// In shared memory, stages take `staged` bytes each, and collected results `collected` bytes.
extern "C" __global__ void __launch_bounds__(224, !WORDS ? 2 : SLOTS > 8 ? 3 : 4)
    resample_image(const Stack* samples, const float* curves, int strip, int staged, int collected) {
    const Stack& s = samples[blockIdx.y];
    const int groups = WORDS ? 1 : s.channels / CHANNELS, line = s.columns.outputs * groups;
    const int across = (line + blockDim.x - 1) / blockDim.x;
    const int row_weights = 2 * (staged + collected), own = row_weights + (strip + 1) * ROW;
    Block& block = *(Block*)(shared_memory + own);
    const Part& part = block.part;
    const Results& results = block.results;
    const Rows& rows = block.rows;
    int turn = 0;
    if (threadIdx.x == 0) block.arrival.prepare(ROWS);
    for (i64 item = blockIdx.x; item < s.items; item += gridDim.x) {
        const i64 stack = quotient(item, (i64)across), image = quotient(stack, (i64)s.strips);
        const int begin = (int)(item - stack * across) * blockDim.x;
        const int last = min(begin + (int)blockDim.x, line) - 1;
        const int thread = min(begin + (int)threadIdx.x, last);
        const int top = (int)(stack - image * s.strips) * strip;
        const int height = min(strip, s.rows.outputs - top);

        const Axis vertical = s.rows, horizontal = s.columns;
        // Columns and rows may run backwards.
        const int one = Weighed(horizontal, curves, begin / groups).from;
        const int other = Weighed(horizontal, curves, last / groups).from;
        const int left = min(one, other), pixel = s.channels * (int)sizeof(In);
        if (threadIdx.x == 0) {
            const int above = Weighed(vertical, curves, top).from;
            const int below = Weighed(vertical, curves, top + height - 1).from;
            const int bytes_in = (abs(other - one) + horizontal.taps) * pixel;
            const bool together = s.pitch <= min(bytes_in + bytes_in / 8, s.in_step);
            block.part = {s.source + image * s.image + (i64)left * pixel,
                          s.pitch,
                          bytes_in,
                          together ? (int)s.pitch : s.in_step,
                          min(above, below),
                          max(above, below) + vertical.taps - 1};
            const i64 width = (i64)line * CHANNELS * sizeof(Out);
            const i64 y = image * vertical.outputs + top + (s.down < 0 ? height - 1 : 0);
            const int bytes = (last - begin + 1) * CHANNELS * (int)sizeof(Out);
            block.results = {s.out + y * width + (i64)begin * CHANNELS * sizeof(Out),
                             s.down,
                             bytes,
                             s.down == bytes ? bytes : s.out_step};
            block.rows = {row_weights, row_weights + height * ROW, vertical.taps - 1,
                          fabsf(vertical.scale) <= vertical.taps - 1};
        }
        __syncthreads();
        int base = part.low / SLOTS * SLOTS, stage = 0;
        part.fetch(stage, base, ROWS, block.arrival);  // while weights are computed
        rows.weigh(vertical, curves, top, height);

        const Weighed weighed(horizontal, curves, thread / groups);
        Column column = {};
        column.more = (Weight*)(shared_memory + own + sizeof(Block)) + threadIdx.x;
#pragma unroll
        for (int k = 0; k < WEIGHTS && !MORE; k++) column.near[k] = column_weight(weighed, k);
        for (int k = 0; MORE && k < (horizontal.taps + TAPS - 1) / TAPS * WEIGHTS; k++)
            ((Weight*)column.more)[k * blockDim.x] = column_weight(weighed, k);
        column.taps = horizontal.taps;
        column.channels = s.channels;
        column.in = (weighed.from - left) * pixel + thread % groups * CHANNELS * (int)sizeof(In);
        column.out = (thread - begin) * CHANNELS * (int)sizeof(Out);

        int row = row_weights, ahead = row, written = 0, place = 2 * staged;
        for (;;) {
            block.arrival.wait(turn);
            turn ^= 1;
            results.settle();
            __syncthreads();
            const bool all = row == rows.end;
            const int next = all ? base : rows.behind(base, ahead);
            if (!all) part.fetch(staged - stage, next, ROWS, block.arrival);
            const int made = quotient(row - row_weights, ROW);
            results.write(place, written, made - written);
            if (all) break;
            written = made;
            place = 4 * staged + collected - place;
            column.work(stage + part.lead(base), base, part.step, row, place + results.lead(made),
                        results.step);
            stage = staged - stage;
            base = next;
        }
        results.settle();
        __syncthreads();
    }
}
