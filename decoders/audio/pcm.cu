// Samples as they are stored, to floats from -1 to 1 or integers of full range. If `mixed`, the channels
// become their mean. Numbers are those of decoders/audio on the CPU, to the bit. The samples of WAV files
// lie as in the file: `width` bytes each, channel by channel, without alignment. With PLANES, each channel
// is a plane of int32, `stride` samples long.
#if PLANES
// An integer of 32 bits, with the sample in its upper bits.
__device__ inline int whole(const Sample& s, long long frame, int channel) {
    return (int)((unsigned)s.source[channel * s.stride + frame] << s.shift);
}

__device__ inline float real(const Sample& s, long long frame, int channel) {
    return __fmul_rn((float)whole(s, frame, channel), 1.0f / 2147483648.0f);
}
#else
__device__ inline unsigned bits_at(const unsigned char* bytes, int count) {
    unsigned bits = 0;
    for (int i = 0; i < count; i++) bits |= (unsigned)bytes[i] << 8 * i;
    return bits;
}

__device__ inline const unsigned char* bytes_of(const Sample& s, long long frame, int channel) {
    return s.source + (frame * s.channels + channel) * s.width;
}

__device__ inline int whole(const Sample& s, long long frame, int channel) {
    const unsigned bits = bits_at(bytes_of(s, frame, channel), s.width) << 8 * (4 - s.width);
    return (int)(s.width == 1 ? bits ^ 0x80000000u : bits);
}

__device__ inline float real(const Sample& s, long long frame, int channel) {
    if (!s.floating) return __fmul_rn((float)whole(s, frame, channel), 1.0f / 2147483648.0f);
    const unsigned char* bytes = bytes_of(s, frame, channel);
    const unsigned low = bits_at(bytes, 4);
    if (s.width == 4) return __uint_as_float(low);
    const unsigned long long bits = (unsigned long long)bits_at(bytes + 4, 4) << 32 | low;
    return (float)__longlong_as_double((long long)bits);
}
#endif

__device__ inline float mean(const Sample& s, long long frame) {
    const float weight = (float)(1.0 / s.channels);
    float sum = __fmul_rn(real(s, frame, 0), weight);
    for (int i = 1; i < s.channels; i++) sum = __fadd_rn(sum, __fmul_rn(real(s, frame, i), weight));
    return sum;
}

template <class T, class Exact>
__device__ inline T scaled(float value, Exact most) {
    const Exact number = rint((Exact)value * most);
    if (!(number > -most - 1)) return (T)(-most - 1);
    return number >= most ? (T)most : (T)number;
}

__device__ inline void store(float value, float* out) { *out = value; }
__device__ inline void store(float value, short* out) { *out = scaled<short>(value, 32767.0f); }
__device__ inline void store(float value, int* out) { *out = scaled<int>(value, 2147483647.0); }

extern "C" __global__ void pcm(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const long long step = (long long)gridDim.x * blockDim.x;
    const bool mixes = s.mixed && s.channels > 1;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < s.elements; i += step) {
        const long long frame = mixes ? i : i / s.channels;
        const int channel = (int)(i - frame * s.channels);
        if (mixes)
            store(mean(s, frame), s.out + i);
        else if (s.floating || (Out)0.5f != 0)
            store(real(s, frame, channel), s.out + i);
        else
            s.out[i] = (Out)(whole(s, frame, channel) >> 8 * (4 - (int)sizeof(Out)));
    }
}
