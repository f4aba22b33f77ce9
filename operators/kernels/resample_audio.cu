// Signals at another rate, as signals/resampling.py computes them: the sum of the input
// samples around an output sample, weighed by a tabulated filter. Channels are interleaved.
#include "common.cuh"

// As signals/amplitude.py: full range to full range.
template <class T>
__device__ inline float as_float(T value) {
    if constexpr (Type<T>::kind == FLOATING) return value;
    const float scale = (Type<T>::kind == SIGNED ? 1.0 : 2.0) / (double)Type<T>::most;
    return (float)value * scale - (Type<T>::kind == UNSIGNED ? 1.0f : 0.0f);
}

template <class T>
__device__ inline T from_float(float value) {
    if constexpr (Type<T>::kind == FLOATING) return value;
    const double half = Type<T>::kind == UNSIGNED ? (double)Type<T>::most / 2 : 0;
    const double scale = half > 0 ? half : (double)Type<T>::most;
    const double scaled = rint((double)value * scale + half);
    if (!(scaled > (double)Type<T>::least)) return (T)Type<T>::least;
    return scaled >= (double)Type<T>::most ? (T)Type<T>::most : (T)scaled;
}

// The weight of the input sample that is `steps` after the next one to an output sample. `entry` is
// the distance from the output sample to the next one in entries of the table.
__device__ inline float weight(const Sample& s, int steps, double entry) {
    const float* taps = s.taps + CENTER;
    if (s.cutoff == 1) {  // all taps lie at the same fraction between two entries
        const int whole = (int)entry;
        taps += whole + steps * PER_UNIT;
        return taps[0] + (float)(entry - whole) * (taps[1] - taps[0]);
    }
    const float wide = (steps * PER_UNIT + (float)entry) * s.cutoff;
    const float inside = fminf(fmaxf(wide, -LOBES * PER_UNIT - 1), LOBES * PER_UNIT + 1);
    const float whole = floorf(inside);
    taps += (int)whole;
    return (taps[0] + (inside - whole) * (taps[1] - taps[0])) * s.cutoff;
}

extern "C" __global__ void resample_audio(const Sample* samples) {
    const Sample& s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const i64 number = quotient(i, s.channels), channel = i - number * s.channels;
        const double position = number * s.step, next = ceil(position);
        const double entry = (next - position) * PER_UNIT;
        const i64 middle = (i64)next;
        const i64 from = max(middle - s.reach, (i64)0), to = min(middle + s.reach, s.length);
        float sum = 0;
        for (i64 k = from; k < to; k++)
            sum += as_float(s.source[k * s.channels + channel]) *
                   weight(s, (int)(k - middle), entry);
        s.out[i] = from_float<Out>(sum);
    }
}
