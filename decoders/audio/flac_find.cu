// Finds the headers of frames in all bytes of all files. Each header states the number of its frame,
// so the headers need not be found in order.
#include "flac.cuh"

extern "C" __global__ void find_frames(const Stream* streams) {
    const Stream s = streams[blockIdx.y];
    const int step = gridDim.x * blockDim.x;
    for (int at = s.audio + blockIdx.x * blockDim.x + threadIdx.x; at < s.length - 6; at += step) {
        if (s.data[at] != 0xFF || s.data[at + 1] != 0xF8) continue;
        FrameHeader header;
        if (!read_header(s, at, &header)) continue;
        if (header.number < s.first_frame || header.number >= s.end_frame) continue;
        Slot* slot = s.slots + (header.number - s.first_frame);
        const int number = atomicAdd(&slot->count, 1);
        if (number < CANDIDATES) slot->offsets[number] = at;
    }
}
