// Windows around the elements of samples (outer, depth, height, width, channels).
#include "../kernels/common.cuh"
#include "../kernels/borders.cuh"

// Calls use(element, number) for all elements of the window of result i. Outside of the sample, the
// pointer to the element is null if BORDER is CONSTANT.
template <class Use>
__device__ inline void visit(const Sample& s, i64 i, Use use) {
    const i64 pixel = quotient(i, (i64)s.channels), line = quotient(pixel, (i64)s.size[2]);
    const i64 plane = quotient(line, (i64)s.size[1]), part = quotient(plane, (i64)s.size[0]);
    const int depth = s.in_size[0], height = s.in_size[1], width = s.in_size[2];
    const int behind = (int)(plane - part * s.size[0]) - s.anchor[0];
    const int below = (int)(line - plane * s.size[1]) - s.anchor[1];
    const int right = (int)(pixel - line * s.size[2]) - s.anchor[2];
    const In* in = s.source + part * depth * height * width * s.channels + i - pixel * s.channels;
    int number = 0;
    for (int d = 0; d < s.window[0]; d++) {
        const int z = index_of(behind + d, depth);
        for (int h = 0; h < s.window[1]; h++) {
            const int y = index_of(below + h, height);
            for (int w = 0; w < s.window[2]; w++) {
                const int x = index_of(right + w, width);
                const bool seen = z >= 0 && y >= 0 && x >= 0;
                const i64 at = ((i64)z * height + y) * width + x;
                use(seen ? in + at * s.channels : nullptr, number++);
            }
        }
    }
}
