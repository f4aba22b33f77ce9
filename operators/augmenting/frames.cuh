// What the kernels of augmentations share: effects, and neighboring pixels. CHANNELS is the number
// of channels of all frames, or 0 for any number; then a thread handles one channel of a pixel at a
// time.
#include "../kernels/lanes.cuh"

enum Effect {  // the numbers are those of effects.py
    BRIGHTNESS = 5,
    CONTRAST = 6,
    POSTERIZE = 9,
    SOLARIZE = 10,
    SOLARIZE_ADD = 11,
    INVERT = 12,
    EQUALIZE = 13,
    AUTO_CONTRAST = 14
};

const int LEVELS = 256;
const int PIXELS = CHANNELS ? 4 : 1;
const int TOGETHER = CHANNELS ? CHANNELS : 1;  // channels that a thread handles at a time
const int BYTES = PIXELS * TOGETHER;

// Neighboring bytes, which are read and written as words if possible.
struct Bytes {
    u8 values[BYTES];

    __device__ static bool is_whole(const u8* data, int count) {
        return PIXELS == 4 && count == BYTES && (u64)data % 4 == 0;
    }
    __device__ void read(const u8* data, int count) {
        if (is_whole(data, count)) {
#pragma unroll
            for (int k = 0; k < BYTES / 4; k++) {
                const Pack<u8, 4> part = ((const Pack<u8, 4>*)data)[k];
#pragma unroll
                for (int j = 0; j < 4; j++) values[4 * k + j] = part.values[j];
            }
            return;
        }
#pragma unroll
        for (int k = 0; k < BYTES; k++) values[k] = k < count ? data[k] : 0;
    }
    __device__ void write(u8* data, int count) const {
        if (is_whole(data, count)) {
#pragma unroll
            for (int k = 0; k < BYTES / 4; k++) {
                Pack<u8, 4> part;
#pragma unroll
                for (int j = 0; j < 4; j++) part.values[j] = values[4 * k + j];
                ((Pack<u8, 4>*)data)[k] = part;
            }
            return;
        }
#pragma unroll
        for (int k = 0; k < BYTES; k++)
            if (k < count) data[k] = values[k];
    }
};

// Calls `visit(first, count)` for the groups of neighboring pixels of this thread.
template <class Visit>
__device__ inline void each_group(const Frame& s, const Visit& visit) {
    const i64 pixels = (i64)s.height * s.width, step = (i64)gridDim.y * blockDim.x * PIXELS;
    for (i64 first = ((i64)blockIdx.y * blockDim.x + threadIdx.x) * PIXELS; first < pixels;
         first += step)
        visit(first, (int)min((i64)PIXELS, pixels - first));
}
