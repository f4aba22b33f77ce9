// Matches boxes with anchors, both given by their edges. The arithmetic is that of NumPy in float32,
// so that matches are those of the CPU.
#include "../kernels/common.cuh"

__device__ inline float iou(const float* box, const float* anchor) {
    const float width = fmaxf(fminf(box[2], anchor[2]) - fmaxf(box[0], anchor[0]), 0.0f);
    const float height = fmaxf(fminf(box[3], anchor[3]) - fmaxf(box[1], anchor[1]), 0.0f);
    const float common = __fmul_rn(width, height);
    const float sum = __fadd_rn(__fmul_rn(box[2] - box[0], box[3] - box[1]),
                                __fmul_rn(anchor[2] - anchor[0], anchor[3] - anchor[1]));
    return common / fmaxf(sum - common, 1.17549435e-38f);
}

// Finds the last anchor with the largest overlap. The bits of numbers that are not negative have
// the order of the numbers; the number of the anchor is in the lower half of `best`.
extern "C" __global__ void best_anchors(
    const Sample* samples, const float* anchors, int count, u64* best) {
    const Sample s = samples[blockIdx.y];
    for (int number = blockIdx.z; number < s.boxes_of_sample; number += gridDim.z) {
        const float* box = s.boxes + 4 * number;
        u64 most = 0;
        for (i64 i = first_element(); i < count; i += element_step()) {
            const u64 key = (u64)__float_as_uint(iou(box, anchors + 4 * i)) << 32 | (u64)i;
            most = key > most ? key : most;
        }
        if (most) atomicMax(best + s.first + number, most);
    }
}

__device__ inline bool is_wrong(const float* box) {
    for (int k = 0; k < 4; k++)
        if (!(fabsf(box[k]) < __uint_as_float(0x7f800000))) return true;
    return OFFSET && !(box[2] > box[0] && box[3] > box[1]);
}

__device__ inline void center(const float* box, float scale, float (&result)[4]) {
    for (int k = 0; k < 2; k++) {
        result[k] = __fmul_rn(__fmul_rn(box[k] + box[k + 2], 0.5f), scale);
        result[k + 2] = __fmul_rn(box[k + 2] - box[k], scale);
    }
}

// Chooses the last box with the largest overlap for each anchor. A box is sure of its best anchor.
extern "C" __global__ void encode(const Sample* samples, const float* anchors, int count,
                                  const u64* best, const float* norm, float criteria, float scale) {
    const Sample s = samples[blockIdx.y];
    for (i64 i = first_element(); i < count; i += element_step()) {
        const float* anchor = anchors + 4 * i;
        float most = -1.0f;
        int match = 0;
        for (int number = 0; number < s.boxes_of_sample; number++) {
            const float* box = s.boxes + 4 * number;
            if (i == 0 && is_wrong(box)) *s.mark = 1;
            const bool sure = (unsigned)best[s.first + number] == (unsigned)i;
            const float overlap = sure ? 2.0f : iou(box, anchor);
            if (overlap >= most) {
                most = overlap;
                match = number;
            }
        }
        const bool matched = most > criteria;
        float result[4] = {0.0f, 0.0f, 0.0f, 0.0f}, own[4];
        if (matched || !OFFSET) {
            center(matched ? s.boxes + 4 * match : anchor, OFFSET ? scale : 1.0f, result);
            center(anchor, scale, own);
        }
        if (matched && OFFSET)
            for (int k = 0; k < 4; k++) {
                const float offset = k < 2 ? (result[k] - own[k]) / own[k + 2]
                                           : (float)log((double)(result[k] / own[k]));
                result[k] = (offset - norm[k]) / norm[k + 4];
            }
        for (int k = 0; k < 4; k++) s.out[4 * i + k] = result[k];
        s.chosen[i] = matched ? s.labels[match * s.label_step] : (Label)0;
    }
}
