// Makes canvases of regions of images; a later region covers earlier ones. A thread makes a pixel.
#include "../kernels/common.cuh"

extern "C" __global__ void multi_paste(const Canvas* canvases, const Region* all) {
    const Canvas canvas = canvases[blockIdx.y];
    const Region* regions = all + canvas.first;
    for (i64 i = first_element(); i < canvas.pixels; i += element_step()) {
        const i64 y = quotient(i, canvas.width), x = i - y * canvas.width;
        const In* source = 0;
        for (i64 k = canvas.regions - 1; k >= 0 && !source; k--) {
            const Region& region = regions[k];
            const i64 down = y - region.y, right = x - region.x;
            if (down >= 0 && down < region.height && right >= 0 && right < region.width)
                source = region.source + down * region.line + right * canvas.channels;
        }
        Out* out = canvas.out + i * canvas.channels;
        for (i64 c = 0; c < canvas.channels; c++)
            out[c] = source ? saturated<Out>(source[c]) : (Out)0;
    }
}
