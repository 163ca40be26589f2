// Compares the numbers and layouts of abi.h with libtorch's own. layout.go does the same for the Go
// side.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "abi.h"
#include "tensor.h"

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <cstddef>

namespace {

// Checks that each field of a gt_ctx ends before the next begins.
static_assert(GT_CTX_INFERENCE < 1 << GT_CTX_GENERATOR_SHIFT);
static_assert(1 << (GT_CTX_GENERATOR_SHIFT + GT_CTX_GENERATOR_BITS) == GT_CTX_STALE &&
              GT_CTX_STALE << 1 == 1 << GT_CTX_THREADS_SHIFT);
static_assert(GT_CTX_THREADS_SHIFT + GT_CTX_THREADS_BITS == GT_CTX_STACK_SHIFT);
static_assert(GT_CTX_STACK_SHIFT + GT_CTX_STACK_BITS == GT_CTX_MODES_SHIFT);
static_assert(GT_CTX_MODES_SHIFT + GT_CTX_MODES_BITS == 8 * sizeof(gt_ctx));

static_assert(sizeof(gt_scalar) == 32 && offsetof(gt_scalar, i) == 8 && offsetof(gt_scalar, d) == 16 &&
              offsetof(gt_scalar, im) == 24);
static_assert(sizeof(gt_ret) == 16 && offsetof(gt_ret, err) == 8);
static_assert(sizeof(gt_index_item) == 40 && offsetof(gt_index_item, start) == 8 &&
              offsetof(gt_index_item, stop) == 16 && offsetof(gt_index_item, step) == 24 &&
              offsetof(gt_index_item, tensor) == 32);

constexpr bool is(int number, c10::DeviceType t) { return number == static_cast<int>(t); }
static_assert(is(GT_DEVICE_CPU, c10::DeviceType::CPU));
static_assert(is(GT_DEVICE_CUDA, c10::DeviceType::CUDA));
static_assert(is(GT_DEVICE_META, c10::DeviceType::Meta));

constexpr bool is(int number, c10::ScalarType t) { return number == static_cast<int>(t); }
static_assert(is(GT_DTYPE_UINT8, c10::ScalarType::Byte));
static_assert(is(GT_DTYPE_INT8, c10::ScalarType::Char));
static_assert(is(GT_DTYPE_INT16, c10::ScalarType::Short));
static_assert(is(GT_DTYPE_INT32, c10::ScalarType::Int));
static_assert(is(GT_DTYPE_INT64, c10::ScalarType::Long));
static_assert(is(GT_DTYPE_FLOAT16, c10::ScalarType::Half));
static_assert(is(GT_DTYPE_FLOAT32, c10::ScalarType::Float));
static_assert(is(GT_DTYPE_FLOAT64, c10::ScalarType::Double));
static_assert(is(GT_DTYPE_COMPLEX32, c10::ScalarType::ComplexHalf));
static_assert(is(GT_DTYPE_COMPLEX64, c10::ScalarType::ComplexFloat));
static_assert(is(GT_DTYPE_COMPLEX128, c10::ScalarType::ComplexDouble));
static_assert(is(GT_DTYPE_BOOL, c10::ScalarType::Bool));
static_assert(is(GT_DTYPE_QINT8, c10::ScalarType::QInt8));
static_assert(is(GT_DTYPE_QUINT8, c10::ScalarType::QUInt8));
static_assert(is(GT_DTYPE_QINT32, c10::ScalarType::QInt32));
static_assert(is(GT_DTYPE_BFLOAT16, c10::ScalarType::BFloat16));
static_assert(is(GT_DTYPE_QUINT4X2, c10::ScalarType::QUInt4x2));
static_assert(is(GT_DTYPE_QUINT2X4, c10::ScalarType::QUInt2x4));
static_assert(is(GT_DTYPE_BITS1X8, c10::ScalarType::Bits1x8));
static_assert(is(GT_DTYPE_BITS2X4, c10::ScalarType::Bits2x4));
static_assert(is(GT_DTYPE_BITS4X2, c10::ScalarType::Bits4x2));
static_assert(is(GT_DTYPE_BITS8, c10::ScalarType::Bits8));
static_assert(is(GT_DTYPE_BITS16, c10::ScalarType::Bits16));
static_assert(is(GT_DTYPE_FLOAT8_E5M2, c10::ScalarType::Float8_e5m2));
static_assert(is(GT_DTYPE_FLOAT8_E4M3FN, c10::ScalarType::Float8_e4m3fn));
static_assert(is(GT_DTYPE_FLOAT8_E5M2FNUZ, c10::ScalarType::Float8_e5m2fnuz));
static_assert(is(GT_DTYPE_FLOAT8_E4M3FNUZ, c10::ScalarType::Float8_e4m3fnuz));
static_assert(is(GT_DTYPE_UINT16, c10::ScalarType::UInt16));
static_assert(is(GT_DTYPE_UINT32, c10::ScalarType::UInt32));
static_assert(is(GT_DTYPE_UINT64, c10::ScalarType::UInt64));

}  // namespace

#endif
