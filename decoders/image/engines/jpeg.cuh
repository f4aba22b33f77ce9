// What the kernels of JPEG know of a file: its blocks of 8x8 samples, in the order of components, and
// then of lines. All components are padded to whole MCUs. Source: ITU-T T.81.
typedef unsigned char u8;

#define BLOCK 64  // samples of a block
#define COMPONENTS 3
#define GRAY 256  // in `sampling`: there is one component, and the factors are 1

// `down` and `across` are the blocks of luma in an MCU; each chroma component has one.
struct Planes {
    int components, down, across, mcus_down, mcus_across;

    __device__ Planes(int height, int width, int sampling)
        : components(sampling & GRAY ? 1 : COMPONENTS), down(sampling & 15), across(sampling >> 4 & 15),
          mcus_down((height + 8 * down - 1) / (8 * down)),
          mcus_across((width + 8 * across - 1) / (8 * across)) {}

    __device__ int mcus() const { return mcus_down * mcus_across; }
    __device__ int blocks_of_mcu() const { return down * across + components - 1; }
    __device__ int blocks() const { return mcus() * blocks_of_mcu(); }
    // Component of a block of an MCU.
    __device__ int component(int block) const { return max(0, block - down * across + 1); }
    // First block of a component, and the number of its blocks in a line.
    __device__ int first(int component) const {
        return component ? mcus() * (down * across + component - 1) : 0;
    }
    __device__ int line(int component) const { return mcus_across * (component ? 1 : across); }
};
