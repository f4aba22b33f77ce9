// Makes RGB images of the images of sensors behind a Bayer filter, as OpenCV does: the colors that a
// pixel lacks are the means of its neighbors. Pixels at the border are those next to them.
#include "../kernels/common.cuh"

extern "C" __global__ void debayer(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.pixels; i += element_step()) {
        const i64 line = quotient(i, (i64)s.width);
        In* out = s.out + 3 * i;
        if (s.height < 3 || s.width < 3) {
            for (int c = 0; c < 3; c++) out[c] = 0;
            continue;
        }
        const int x = min(max((int)(i - line * s.width), 1), s.width - 2);
        const int y = min(max((int)line, 1), s.height - 2);
        const In* in = s.source + (i64)y * s.width + x;
        const i64 below = s.width;
        const unsigned across = in[-1] + in[1], down = in[-below] + in[below];
        const unsigned corners =
            in[-below - 1] + in[-below + 1] + in[below - 1] + in[below + 1];
        const bool blue_line = y % 2 == s.blue[0], blue_column = x % 2 == s.blue[1];
        const unsigned own = *in, cross = (across + down + 2) / 4, diagonal = (corners + 2) / 4;
        if (blue_line == blue_column) {  // a red or a blue pixel
            out[0] = blue_line ? diagonal : own;
            out[1] = cross;
            out[2] = blue_line ? own : diagonal;
        } else {
            out[0] = (blue_line ? down + 1 : across + 1) / 2;
            out[1] = own;
            out[2] = (blue_line ? across + 1 : down + 1) / 2;
        }
    }
}
