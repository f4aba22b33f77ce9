// Resamples rows and columns of images (height, width, channels) in one pass over the input.
//
// A block makes a strip, some rows of the result, and a thread CHANNELS channels of one column of
// it, row after row. The rows of the input that it needs come through shared memory, SLOTS at a time
// and STAGES of these stages ahead. Of each a thread weighs the columns that it needs, TAPS at a time; the last
// SLOTS of these sums are held in registers, row r in number r % SLOTS. Rows of the result leave through shared memory
// as well: global memory is read and written 16 bytes at a time.
#include "columns.cuh"
#include "staging.cuh"

struct Sample {
    u64 in, out;
    i64 items;
    i64 image;       // bytes of an image of the input
    unsigned pitch;  // and of its rows
    int step;        // and from one of these to the next in shared memory
    int channels, strips;
    Axis rows, columns;
};

const int PACKED = SLOTS % 4 || sizeof(Work) == 8 ? 2 : 4;  // weights that are read together
const int NEVER = 1 << 30;
const int PACK = 16, LINE = 32 * PACK;  // bytes that a thread moves at a time, and that a warp does

// A row of the result: the last row of the input that it weighs, and its weights, that of input
// row r in number r % SLOTS, and 0 where there is none.
struct alignas(16) Row {
    Pack<Work, PACKED> weights[SLOTS / PACKED];
    int last;
};

// By its place in shared memory.
__device__ inline Row& row_at(int place) { return *(Row*)(shared_memory + place); }

// Rows of a strip, in the order of the input's. Behind them is one that weighs NEVER.
struct Rows {
    int first, end, reach;
    bool dense;  // each row of the input is needed, or may be

    __device__ Rows(const Axis& axis, const float* curves, int from, int strip, int place)
        : first(place), end(place + min(strip, axis.outputs - from) * (int)sizeof(Row)),
          reach(axis.taps - 1), dense(fabsf(axis.scale) <= reach) {
        const int count = (end - first) / (int)sizeof(Row);
        for (int i = threadIdx.x; i < count; i += blockDim.x) {
            const Weighed weighed(axis, curves, from + (axis.scale < 0 ? count - 1 - i : i));
            Row& row = row_at(first + i * (int)sizeof(Row));
            for (int tap = 0, slot = weighed.from % SLOTS; tap < SLOTS; tap++) {
                ((Work*)row.weights)[slot] = tap < axis.taps ? weighed.weight(tap) : 0;
                slot = slot + 1 < SLOTS ? slot + 1 : 0;
            }
            row.last = weighed.from + reach;
        }
        if (threadIdx.x == 0) row_at(end).last = NEVER;
    }
    // The stage behind the one at `base`, and the first row of the result that is made in it or later.
    __device__ int behind(int base, int& row) const {
        if (dense) return base + ROWS;
        while (row_at(row).last < base + ROWS) row += sizeof(Row);
        return max(base + ROWS, (row_at(row).last - reach) / ROWS * ROWS);
    }
};

// The part of the input's rows that a block needs: `bytes` of each from `low` to `high`. In shared
// memory a row is `step` bytes behind the one before, so that all are aligned there as they are.
struct Part {
    u64 from;  // address in row 0
    unsigned pitch;
    int bytes, step, low, high;

    __device__ int lead(int row) const { return ((unsigned)from + row * pitch) & 15; }

    __device__ void fetch(int to, int base) const {
        const int lane = threadIdx.x % 32 * PACK;
        to += lead(base) + lane;
        for (int slot = threadIdx.x / 32; slot < ROWS; slot += blockDim.x / 32) {
            const int row = base + slot;
            if (row < low || row > high) continue;
            u64 source = from + (u64)(unsigned)row * pitch + lane;
            const int lead = source % PACK;
            unsigned char* target = shared_memory + to + slot * step - lead;
            source -= lead;
#pragma unroll 1
            for (int left = lead + bytes - lane; left > 0; left -= 4 * LINE) {
#pragma unroll
                for (int k = 0; k < 4 * LINE; k += LINE)
                    if (left > k) copy_later(target + k, source + k);
                source += 4 * LINE;
                target += 4 * LINE;
            }
        }
    }
};

// Rows of the result, collected in shared memory in turn in two places, and aligned there as they
// will be.
struct Results {
    u64 out;  // address of the first row that is collected
    i64 down;
    int bytes, step, place, other;  // in shared memory
    int first;  // row

    __device__ int begin() const { return place + (int)(out % PACK); }

    // Writes the rows up to one. The last warps begin, for the first ones fetch more.
    __device__ void flush(int end) {
        const int lane = threadIdx.x % 32 * PACK, count = (end - first) / (int)sizeof(Row);
        for (int i = blockDim.x / 32 - 1 - threadIdx.x / 32; i < count; i += blockDim.x / 32) {
            const u64 row = out + i * down;
            const int lead = row % PACK;
            unsigned char* to = (unsigned char*)(row - lead);
            const unsigned char* from = shared_memory + begin() + i * step - lead;
#pragma unroll 1
            for (int k = lane; k < lead + bytes; k += LINE) {
                if (k >= lead && k + PACK <= lead + bytes)
                    *(uint4*)(to + k) = *(const uint4*)(from + k);
                else
#pragma unroll 1
                    for (int j = max(k, lead); j < min(k + PACK, lead + bytes); j++) to[j] = from[j];
            }
        }
        out += count * down;
        first = end;
        place += other;
        other = -other;
    }
};

// One column of a strip.
struct Column {
    Weight near[WEIGHTS];
    const Weight* more;
    int taps, channels;
    int in, out;  // bytes behind the begin of the part of the input and of the result
    Work held[SLOTS][CHANNELS];

    // Weighs columns of an input row.
    __device__ void weigh(int place, Work (&result)[CHANNELS]) const {
        Sum sums[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) sums[c] = NOTHING;
        Pixels pixels;
        if (!MORE) {
            pixels.read(place, taps, channels);
            pixels.weigh(near, taps, sums);
        }
        for (int t = 0; MORE && t < taps; t += TAPS) {
            Weight weights[WEIGHTS];
#pragma unroll
            for (int k = 0; k < WEIGHTS; k++) weights[k] = more[(t / TAPS * WEIGHTS + k) * blockDim.x];
            const int count = min(TAPS, taps - t);
            pixels.read(place + t * channels * (int)sizeof(In), count, channels);
            pixels.weigh(weights, count, sums);
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) result[c] = summed(sums[c]);
    }

    // Weighs the rows that are held, and puts a pixel.
    __device__ void put(int row, int place) const {
        Work value[CHANNELS] = {};
#pragma unroll
        for (int k = 0; k < SLOTS / PACKED; k++) {
            const Pack<Work, PACKED> weights = row_at(row).weights[k];
#pragma unroll
            for (int j = 0; j < PACKED * CHANNELS; j++) {
                const int c = j % CHANNELS, slot = k * PACKED + j / CHANNELS;
                const Work weight = weights.values[j / CHANNELS];
                if (Type<In>::kind != FLOATING || weight != 0) value[c] += weight * held[slot][c];
            }
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) ((Out*)(shared_memory + place))[c] = as_out(value[c]);
    }

    // Works on a stage that begins with row `base`, at `place` of shared memory.
    __device__ void stage(int place, int base, int step, int& row, int target, int target_step) {
        int until = row_at(row).last - base;
        place += in;
        target += out;
#pragma unroll
        for (int slot = 0; slot < ROWS; slot++) {
            weigh(place, held[slot % SLOTS]);
            place += step;
            while (until <= slot) {
                put(row, target);
                target += target_step;
                row += sizeof(Row);
                until = row_at(row).last - base;
            }
        }
    }
};

__device__ inline void make(const Rows& rows, const Part& part, Column& column, Results& results, int size) {
    int row = rows.first, ahead = row, base = part.low / ROWS * ROWS, stage = 0;
    part.fetch(stage, base);
    while (true) {
        wait_for_copies();
        __syncthreads();
        const int other = size - stage;
        int next = base;
        if (row < rows.end) {
            next = rows.behind(base, ahead);
            part.fetch(other, next);
        }
        results.flush(row);
        if (row == rows.end) return;
        column.stage(stage + part.lead(base), base, part.step, row, results.begin(), results.step);
        stage = other;
        base = next;
    }
}

extern "C" __global__ void __launch_bounds__(256, WORDS ? 4 : 2)
    resample_image(const Sample* samples, const float* curves, int strip, int in_room, int out_room,
                   int most) {
    const Sample& s = samples[blockIdx.y];
    const int groups = s.channels / CHANNELS, line = s.columns.outputs * groups;
    const int across = (line + blockDim.x - 1) / blockDim.x;
    const int size = ROWS * in_room + 32, out_size = most * out_room + 32;
    const int row_weights = 2 * (size + out_size);
    Weight* more = (Weight*)(shared_memory + row_weights + (strip + 1) * sizeof(Row)) + threadIdx.x;
    for (i64 item = blockIdx.x; item < s.items; item += gridDim.x) {
        const i64 stack = quotient(item, across), image = quotient(stack, s.strips);
        const int begin = (int)(item - stack * across) * blockDim.x;
        const int last = min(begin + (int)blockDim.x, line) - 1;
        const int thread = min(begin + (int)threadIdx.x, last), x = thread / groups;
        const int from = (int)(stack - image * s.strips) * strip;

        const Axis vertical = s.rows, horizontal = s.columns;
        const Rows rows(vertical, curves, from, strip, row_weights);
        const Weighed weighed(horizontal, curves, x);
        Column column = {};
#pragma unroll
        for (int k = 0; k < WEIGHTS && !MORE; k++) column.near[k] = column_weight(weighed, k);
        for (int k = 0; MORE && k < (horizontal.taps + TAPS - 1) / TAPS * WEIGHTS; k++)
            more[k * blockDim.x] = column_weight(weighed, k);
        column.more = more;
        // Columns run backwards where they are mirrored.
        const int pixel = s.channels * (int)sizeof(In);
        const int one = Weighed(horizontal, curves, begin / groups).from;
        const int other = Weighed(horizontal, curves, last / groups).from;
        const int least = min(one, other);
        column.taps = horizontal.taps;
        column.channels = s.channels;
        column.in = (weighed.from - least) * pixel + thread % groups * CHANNELS * (int)sizeof(In);
        column.out = (thread - begin) * CHANNELS * (int)sizeof(Out);
        __syncthreads();
        const Part part = {s.in + image * s.image + (i64)least * pixel,
                           s.pitch,
                           (abs(other - one) + horizontal.taps) * pixel,
                           s.step,
                           row_at(rows.first).last - rows.reach,
                           row_at(rows.end - (int)sizeof(Row)).last};
        const int y = vertical.scale < 0 ? (rows.end - rows.first) / (int)sizeof(Row) - 1 : 0;
        i64 down = (i64)line * CHANNELS * sizeof(Out);
        const u64 out = s.out + (image * vertical.outputs + from + y) * down + (i64)begin * CHANNELS * sizeof(Out);
        if (vertical.scale < 0) down = -down;
        Results results = {out, down, (last - begin + 1) * CHANNELS * (int)sizeof(Out),
                           out_room - 16 + ((int)down & 15), 2 * size, out_size, row_weights};
        make(rows, part, column, results, size);
        __syncthreads();
    }
}
