// Frames and hints into the buffers of the GPU's optical flow engine, and vectors out of them. A
// struct is an array of (height, width), whose lines are `pitch` bytes apart in the engine's buffer.
#include "../kernels/common.cuh"

// The engine wants a byte a pixel, or the bytes R, G, B, A. `red` is the number of the red channel of
// three; it is -1 for one channel.
extern "C" __global__ void flow_frames(const Lines* frames) {
    const Lines s = frames[blockIdx.y];
    for (i64 i = first_element(); i < s.height * s.width; i += element_step()) {
        const i64 y = quotient(i, s.width), x = i - y * s.width;
        u8* line = s.buffer + y * s.pitch;
        if (s.red < 0) {
            line[x] = s.data[i];
        } else {
            const u8* pixel = s.data + i * 3;
            const unsigned red = pixel[s.red], green = pixel[1], blue = pixel[2 - s.red];
            ((unsigned*)line)[x] = red | green << 8 | blue << 16 | 255u << 24;
        }
    }
}

// To pixels, from numbers of 16 bits with 5 of them behind the point.
extern "C" __global__ void flow_vectors(const Lines* fields) {
    const Lines s = fields[blockIdx.y];
    for (i64 i = first_element(); i < s.height * s.width; i += element_step()) {
        const i64 y = quotient(i, s.width), x = i - y * s.width;
        ((float*)s.data)[i] = ((const short*)(s.buffer + y * s.pitch))[x] / 32.0f;
    }
}

// The other way.
extern "C" __global__ void flow_hints(const Lines* fields) {
    const Lines s = fields[blockIdx.y];
    for (i64 i = first_element(); i < s.height * s.width; i += element_step()) {
        const i64 y = quotient(i, s.width), x = i - y * s.width;
        ((short*)(s.buffer + y * s.pitch))[x] = saturated<short>(((const float*)s.data)[i] * 32.0f);
    }
}
