// Elements of SIZE bytes, and the words in which threads write them.
#include "../kernels/common.cuh"

template <int bytes>
struct Unsigned;
template <>
struct Unsigned<1> {
    typedef unsigned char type;
};
template <>
struct Unsigned<2> {
    typedef unsigned short type;
};
template <>
struct Unsigned<4> {
    typedef unsigned int type;
};
template <>
struct Unsigned<8> {
    typedef unsigned long long type;
};
typedef Unsigned<SIZE>::type Element;
typedef Unsigned<SIZE == 8 ? 8 : 4>::type Word;
static constexpr int WORD = sizeof(Word), PER_WORD = WORD / SIZE;
