// Signals at another rate, as signals/resampling.py computes them: the sum of the input
// samples around an output sample, weighed by a tabulated filter. Channels are interleaved.
typedef long long i64;

// Of the types of signals: floats, and integers of 8 to 32 bits.
template <class T>
struct Signal {
    static constexpr bool is_float = (T)0.5f != 0;
    static constexpr bool is_unsigned = (T)-1 > (T)0;
    static constexpr double most = is_unsigned ? (double)((1ll << 8 * sizeof(T)) - 1)
                                               : (double)((1ll << (8 * sizeof(T) - 1)) - 1);
    static constexpr double least = is_unsigned ? 0 : -most - 1;
};

// As signals/amplitude.py: full range to full range.
template <class T>
__device__ inline float as_float(T value) {
    if constexpr (Signal<T>::is_float) return value;
    const float scale = (Signal<T>::is_unsigned ? 2.0 : 1.0) / Signal<T>::most;
    return (float)value * scale - (Signal<T>::is_unsigned ? 1.0f : 0.0f);
}

template <class T>
__device__ inline T from_float(float value) {
    if constexpr (Signal<T>::is_float) return value;
    const double half = Signal<T>::is_unsigned ? Signal<T>::most / 2 : 0;
    const double scaled = rint((double)value * (half > 0 ? half : Signal<T>::most) + half);
    if (!(scaled > Signal<T>::least)) return (T)Signal<T>::least;
    return scaled >= Signal<T>::most ? (T)Signal<T>::most : (T)scaled;
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
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < s.elements; i += step) {
        // Most numbers are small.
        const bool is_long = (i | s.channels) >> 32;
        const i64 number = is_long ? i / s.channels : (unsigned)i / (unsigned)s.channels;
        const i64 channel = i - number * s.channels;
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
