// What lies around a sample, by the macro BORDER.
enum Border { CONSTANT, REPLICATE, REFLECT, REFLECT_101, WRAP };

__device__ inline int remainder_of(int i, int period) {
    const int rest = i % period;
    return rest < 0 ? rest + period : rest;
}

// The index of the pixel that stands for index i, or -1 for the constant.
__device__ inline int index_of(int i, int extent) {
    if ((unsigned)i < (unsigned)extent) return i;
    if (BORDER == CONSTANT) return -1;
    if (BORDER == REPLICATE) return i < 0 ? 0 : extent - 1;
    if (BORDER == WRAP) return remainder_of(i, extent);
    if (BORDER == REFLECT) {
        const int rest = remainder_of(i, 2 * extent);
        return rest < extent ? rest : 2 * extent - 1 - rest;
    }
    if (extent == 1) return 0;
    const int rest = remainder_of(i, 2 * extent - 2);
    return rest < extent ? rest : 2 * extent - 2 - rest;
}
