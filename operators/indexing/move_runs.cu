// Copies boxes whose last dimension is a run of bytes. The extents, strides and bounds of the last
// dimension are in bytes.
#include "strided.cuh"

extern "C" __global__ void __launch_bounds__(256, 8) move_runs(const Box* boxes) {
    const Box box = boxes[blockIdx.y * gridDim.z + blockIdx.z];
    const Pieces<16, 1> pieces(box);
    for (Index item = first_element(); item < pieces.count; item += element_step()) {
        const Index number = divided(item, pieces.of_run);
        const Piece<16, 1> piece(box, number, item - number * pieces.of_run);
        if (piece.from >= piece.to) continue;
        const int low = max((Index)piece.from, piece.run.low - piece.at);
        const int high = min((Index)piece.to, piece.run.high - piece.at);
        unsigned words[8];
        load<16, 1>(piece.run.in[0] + piece.at, low, high, words);
        if (BOUNDS == PAD && (low > piece.from || high < piece.to)) {
#pragma unroll
            for (int j = 0; j < 16; j++) {
                const unsigned mask = 0xFFu << 8 * (j & 3), fill = box.fill >> (j & 4 ? 32 : 0);
                if (j < low || j >= high) words[j / 4] = (words[j / 4] & ~mask) | (fill & mask);
            }
        }
        store(piece.run.out + piece.at, words, piece.from, piece.to);
    }
}
