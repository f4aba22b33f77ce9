// Decodes the frames of the files' windows; one thread decodes one frame. The samples of a file become
// one plane of int32 for each channel.
#include "flac.cuh"

#define ESCAPE_WIDTH 5  // bits of the width of residuals that are stored as they are

__device__ inline int as_signed(unsigned value) { return (int)value; }
__device__ inline long long as_signed(unsigned long long value) { return (long long)value; }

// Adds the prediction out of the N last samples to residuals. Coefficients behind the order are 0.
// `Sum` is unsigned, because the sums of a damaged frame may not fit, and must wrap around.
template <int N, class Sum>
struct Predictor {
    int weights[N], last[N], shift;

    __device__ int next(int residual) {
        Sum sum = 0;
#pragma unroll
        for (int i = 0; i < N; i++) sum += (Sum)weights[i] * (Sum)last[i];
        const int value = (int)((unsigned)residual + (unsigned)(as_signed(sum) >> shift));
        push(value);
        return value;
    }

    __device__ void push(int value) {
#pragma unroll
        for (int i = N - 1; i > 0; i--) last[i] = last[i - 1];
        last[0] = value;
    }
};

// Reads the residuals behind the first `order` samples, and completes the samples. False if damaged.
template <int N, class Sum>
__device__ bool complete(Bits& bits, Predictor<N, Sum>& predictor, int* out, int count, int order) {
    const unsigned method = bits.read(2);
    if (method > 1) return false;
    const int width = 4 + method, partitions = bits.read(4);
    if (count & ((1 << partitions) - 1) || count >> partitions < order) return false;
    int i = order;
    for (int partition = 1; partition <= 1 << partitions; partition++) {
        const int end = (count >> partitions) * partition;
        const int low = bits.read(width);
        if (low == (1 << width) - 1) {
            const int stored = bits.read(ESCAPE_WIDTH);
            for (; i < end; i++) out[i] = predictor.next(bits.read_signed(stored));
        } else {
            for (; i < end; i++) {
                const unsigned high = bits.unary();
                const unsigned folded = high << low | bits.read(low);
                out[i] = predictor.next((int)(folded >> 1 ^ (0u - (folded & 1))));
            }
        }
        if (bits.overrun()) return false;
    }
    return true;
}

template <int N, class Sum>
__device__ bool predicted(Bits& bits, int* out, int count, int order, const int* weights, int shift) {
    Predictor<N, Sum> predictor;
    predictor.shift = shift;
#pragma unroll
    for (int i = 0; i < N; i++) {
        predictor.weights[i] = i < order ? weights[i] : 0;
        predictor.last[i] = i < order ? out[order - 1 - i] : 0;
    }
    return complete(bits, predictor, out, count, order);
}

// `width` is the number of bits that a sum of products needs, sign included.
__device__ bool predicted(Bits& bits, int* out, int count, int order, const int* weights, int shift,
                          int width) {
    if (width > 32) return predicted<32, unsigned long long>(bits, out, count, order, weights, shift);
    if (order <= 4) return predicted<4, unsigned>(bits, out, count, order, weights, shift);
    if (order <= 8) return predicted<8, unsigned>(bits, out, count, order, weights, shift);
    if (order <= 12) return predicted<12, unsigned>(bits, out, count, order, weights, shift);
    return predicted<32, unsigned>(bits, out, count, order, weights, shift);
}

__device__ bool read_fixed(Bits& bits, int* out, int count, int order, int width) {
    const int all_weights[5][4] = {{0}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
    return predicted(bits, out, count, order, all_weights[order], 0, width + 4);
}

__device__ bool read_linear(Bits& bits, int* out, int count, int order, int width) {
    const int precision = bits.read(4) + 1, shift = bits.read_signed(5);
    if (precision == 16 || shift < 0) return false;
    int weights[32];
    for (int i = 0; i < order; i++) weights[i] = bits.read_signed(precision);
    const int doublings = order > 1 ? 32 - __clz(order - 1) : 0;
    return predicted(bits, out, count, order, weights, shift, width + precision + doublings);
}

// Decodes the frame's part of one channel, of samples with `width` bits. False if damaged.
__device__ bool read_subframe(Bits& bits, int* out, int count, int width) {
    if (bits.read(1)) return false;
    const int type = bits.read(6);
    const int wasted = bits.read(1) ? bits.unary() + 1 : 0;
    width -= wasted;
    if (width < 1) return false;
    if (type == 0) {  // constant
        const int value = bits.read_signed(width);
        for (int i = 0; i < count; i++) out[i] = value;
    } else if (type == 1) {  // verbatim
        for (int i = 0; i < count; i++) out[i] = bits.read_signed(width);
    } else {
        const bool fixed = type >= 8 && type <= 12, linear = type >= 32;
        const int order = fixed ? type - 8 : type - 31;
        if (!(fixed || linear) || order > count) return false;
        for (int i = 0; i < order; i++) out[i] = bits.read_signed(width);
        const bool good = fixed ? read_fixed(bits, out, count, order, width)
                                : read_linear(bits, out, count, order, width);
        if (!good) return false;
    }
    if (wasted)
        for (int i = 0; i < count; i++) out[i] = (int)((unsigned)out[i] << wasted);
    return !bits.overrun();
}

// Makes left and right out of left and difference, difference and right, or mean and difference.
__device__ void separate(int* first, int* second, int count, int assignment) {
    for (int i = 0; i < count; i++) {
        const unsigned a = first[i], b = second[i];  // a damaged frame's may not fit, and wrap around
        if (assignment == 8) {
            second[i] = (int)(a - b);
        } else if (assignment == 9) {
            first[i] = (int)(a + b);
        } else {
            const unsigned sum = a << 1 | (b & 1);
            first[i] = (int)(sum + b) >> 1;
            second[i] = (int)(sum - b) >> 1;
        }
    }
}

// Decodes the frame at `offset`; returns its number of samples, or 0 if it is damaged.
__device__ int read_frame(const Stream& s, int offset) {
    FrameHeader header;
    if (!read_header(s, offset, &header)) return 0;
    Bits bits(s.data, offset + header.bytes, s.length);
    int* const out = s.planes + (header.number - s.first_frame) * s.block;
    for (int channel = 0; channel < s.channels; channel++) {
        const int difference = header.assignment == 9 ? 0 : header.assignment >= 8 ? 1 : -1;
        int* plane = out + channel * s.plane_samples;
        if (!read_subframe(bits, plane, header.samples, s.bits + (channel == difference))) return 0;
    }
    const int end = bits.aligned();
    if (end + 2 > s.length) return 0;
    const unsigned stored = s.data[end] << 8 | s.data[end + 1];
    if (crc16(s.data + offset, end - offset) != stored) return 0;
    if (header.assignment >= 8) separate(out, out + s.plane_samples, header.samples, header.assignment);
    return header.samples;
}

extern "C" __global__ void decode_frames(const Stream* streams) {
    const Stream s = streams[blockIdx.y];
    const int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= s.end_frame - s.first_frame) return;
    const Slot slot = s.slots[number];
    int samples = 0;
    for (int i = 0; i < min(slot.count, CANDIDATES) && samples == 0; i++) samples = read_frame(s, slot.offsets[i]);
    if (samples) {
        atomicAdd(&s.outcome->samples, (unsigned long long)samples);
    } else if (slot.count) {
        atomicMin(&s.outcome->damaged, slot.offsets[0]);
    }
}
