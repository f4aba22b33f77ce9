// Spectra of windows of signals: see gpu_spectrogram.py. A block transforms FRAMES windows together.
// POINTS complex numbers stand for the NFFT samples of a window; transforms have SIZE numbers.
#include "../kernels/common.cuh"

constexpr bool HALVED = NFFT % 2 == 0;       // pairs of samples are complex numbers
constexpr bool CHIRPED = SIZE != POINTS;     // Bluestein's algorithm
constexpr int BINS = NFFT / 2 + 1;

struct Constants {
    const float2 *roots, *split, *chirp, *wave;
    const float* factors;

    __device__ Constants(const float2* start)
        : roots(start),
          split(roots + SIZE),
          chirp(split + POINTS + 1),
          wave(chirp + POINTS),
          factors((const float*)(CHIRPED ? wave + SIZE : chirp)) {}
};

__device__ inline float2 sum(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float2 difference(float2 a, float2 b) {
    return make_float2(a.x - b.x, a.y - b.y);
}
__device__ inline float2 product(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ inline float2 conjugate(float2 a) { return make_float2(a.x, -a.y); }
__device__ inline float2 turned(float2 a) { return make_float2(a.y, -a.x); }  // times -i

// One pass of the transform, which turns transforms of `done` numbers into those of RADIX * done.
template <int RADIX>
__device__ inline void pass(const float2* in, float2* out, const float2* roots, int done) {
    constexpr int EACH = SIZE / RADIX;
    for (int i = threadIdx.x; i < FRAMES * EACH; i += blockDim.x) {
        const int number = i % EACH, base = i / EACH * SIZE, inner = number % done;
        const int turn = inner * (EACH / done);
        float2 v[RADIX];
#pragma unroll
        for (int r = 0; r < RADIX; r++) {
            v[r] = in[base + number + r * EACH];
            if (r) v[r] = product(v[r], roots[r * turn]);
        }
        float2* const to = out + base + (number - inner) * RADIX + inner;
        if constexpr (RADIX == 2) {
            to[0] = sum(v[0], v[1]);
            to[done] = difference(v[0], v[1]);
        } else {
            const float2 even = sum(v[0], v[2]), odd = sum(v[1], v[3]);
            const float2 other = difference(v[0], v[2]), turn_of = turned(difference(v[1], v[3]));
            to[0] = sum(even, odd);
            to[done] = sum(other, turn_of);
            to[2 * done] = difference(even, odd);
            to[3 * done] = difference(other, turn_of);
        }
    }
    __syncthreads();
}

// Transforms the numbers of all windows; returns where the results are, in one of two buffers.
__device__ inline float2* transformed(float2* in, float2* other, const float2* roots) {
    int done = 1;
    for (; done * 4 <= SIZE; done *= 4) {
        pass<4>(in, other, roots, done);
        float2* const results = other;
        other = in;
        in = results;
    }
    if constexpr (SIZE > 1)
        if (done < SIZE) {
            pass<2>(in, other, roots, done);
            return other;
        }
    return in;
}

// Windows of `length` samples start `step` samples apart, the first one `before` samples before the
// signal, which is mirrored at its ends, or extended with zeros.
struct Windows {
    int length, step, before, reflect;
};

// A factor times a sample of a signal that is extended at both ends.
__device__ inline float sample_of(
    const Signal& s, const Windows& windows, const float* factors, i64 start, int number) {
    if (number >= windows.length) return 0;
    i64 at = start + number;
    if (at < 0 || at >= s.samples) {
        if (!windows.reflect) return 0;
        const i64 period = max(2 * (s.samples - 1), (i64)1);
        at = (at < 0 ? -at : at) % period;
        if (at >= s.samples) at = period - at;
    }
    return factors[number] * (float)s.source[at];
}

__device__ inline void load(
    const Signal& s, const Windows& windows, const Constants& constants, i64 first, float2* to) {
    for (int i = threadIdx.x; i < FRAMES * SIZE; i += blockDim.x) {
        const int number = i % SIZE;
        const i64 window = first + i / SIZE, start = window * windows.step - windows.before;
        float2 value = make_float2(0, 0);
        if (number < POINTS && window < s.windows) {
            value.x = sample_of(s, windows, constants.factors, start, HALVED ? 2 * number : number);
            if (HALVED) value.y = sample_of(s, windows, constants.factors, start, 2 * number + 1);
            if (CHIRPED) value = product(value, constants.chirp[number]);
        }
        to[i] = value;
    }
    __syncthreads();
}

// The spectrum of one window's complex numbers, of which `spectra` has the transform.
__device__ inline float2 bin_of(const float2* spectra, const Constants& constants, int bin) {
    const auto at = [&](int number) {
        return CHIRPED ? product(conjugate(spectra[number]), constants.chirp[number])
                       : spectra[number];
    };
    if (!HALVED) return at(bin);
    const float2 own = at(bin % POINTS), mirror = conjugate(at((POINTS - bin) % POINTS));
    const float2 even = sum(own, mirror), odd = turned(difference(own, mirror));
    const float2 both = sum(even, product(odd, constants.split[bin]));
    return make_float2(both.x / 2, both.y / 2);
}

extern "C" __global__ void spectrogram(
    const Signal* samples, const float2* numbers, float2* work, int length, int step_of_windows,
    int before, int reflect, int power) {
    extern __shared__ unsigned char shared_memory[];
    const Signal s = samples[blockIdx.y];
    const Windows windows = {length, step_of_windows, before, reflect};
    const Constants constants(numbers);
    float2* const buffers = GLOBAL ? work + ((i64)blockIdx.y * gridDim.x + blockIdx.x) * 2 * SIZE
                                   : (float2*)shared_memory;
    const i64 step = (i64)gridDim.x * FRAMES;
    for (i64 first = (i64)blockIdx.x * FRAMES; first < s.windows; first += step) {
        load(s, windows, constants, first, buffers);
        float2* spectra = transformed(buffers, buffers + FRAMES * SIZE, constants.roots);
        if (CHIRPED) {  // a convolution with the chirp's wave; the results are conjugate
            for (int i = threadIdx.x; i < FRAMES * SIZE; i += blockDim.x)
                spectra[i] =
                    conjugate(product(spectra[i], constants.wave[i % SIZE]));
            __syncthreads();
            float2* const other = spectra == buffers ? buffers + FRAMES * SIZE : buffers;
            spectra = transformed(spectra, other, constants.roots);
        }
        const int count = min((i64)FRAMES, s.windows - first);
        for (int i = threadIdx.x; i < BINS * FRAMES; i += blockDim.x) {
            const int bin = TIME_FIRST ? i % BINS : i / FRAMES;
            const int frame = TIME_FIRST ? i / BINS : i % FRAMES;
            if (frame >= count) continue;
            const float2 value = bin_of(spectra + frame * SIZE, constants, bin);
            const float energy = value.x * value.x + value.y * value.y;
            s.out[TIME_FIRST ? (first + frame) * BINS + bin : bin * s.windows + first + frame] =
                power == 2 ? energy : sqrtf(energy);
        }
        __syncthreads();
    }
}
