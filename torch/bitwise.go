package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// LogicalAnd returns a Bool tensor: true where both are not zero. The shapes
// broadcast. Follows torch.logical_and.
func (t *Tensor) LogicalAnd(other *Tensor) *Tensor {
	return binary("LogicalAnd(self, other)", aten.LogicalAnd, t, other)
}

// LogicalOr returns a Bool tensor: true where at least one is not zero. The
// shapes broadcast. Follows torch.logical_or.
func (t *Tensor) LogicalOr(other *Tensor) *Tensor {
	return binary("LogicalOr(self, other)", aten.LogicalOr, t, other)
}

// LogicalXor returns a Bool tensor: true where exactly one is not zero. The
// shapes broadcast. Follows torch.logical_xor.
func (t *Tensor) LogicalXor(other *Tensor) *Tensor {
	return binary("LogicalXor(self, other)", aten.LogicalXor, t, other)
}

// LogicalNot returns a Bool tensor: true where t is zero. Follows
// torch.logical_not.
func (t *Tensor) LogicalNot() *Tensor { return unary("LogicalNot(self)", aten.LogicalNot, t) }

// BitwiseAnd returns t & other for integers and bools. It panics as Add does,
// and with ErrDType for floating point. Follows torch.bitwise_and.
func (t *Tensor) BitwiseAnd(other *Tensor) *Tensor {
	return binary("BitwiseAnd(self, other)", aten.BitwiseAndTensor, t, other)
}

// BitwiseAndScalar is BitwiseAnd for a number. Follows torch.bitwise_and.
func (t *Tensor) BitwiseAndScalar(other any) *Tensor {
	return withScalar("BitwiseAndScalar(self)", aten.BitwiseAndScalar, t, "other", other)
}

// BitwiseOr returns t | other for integers and bools. It panics as Add does,
// and with ErrDType for floating point. Follows torch.bitwise_or.
func (t *Tensor) BitwiseOr(other *Tensor) *Tensor {
	return binary("BitwiseOr(self, other)", aten.BitwiseOrTensor, t, other)
}

// BitwiseOrScalar is BitwiseOr for a number. Follows torch.bitwise_or.
func (t *Tensor) BitwiseOrScalar(other any) *Tensor {
	return withScalar("BitwiseOrScalar(self)", aten.BitwiseOrScalar, t, "other", other)
}

// BitwiseXor returns t ^ other for integers and bools. It panics as Add does,
// and with ErrDType for floating point. Follows torch.bitwise_xor.
func (t *Tensor) BitwiseXor(other *Tensor) *Tensor {
	return binary("BitwiseXor(self, other)", aten.BitwiseXorTensor, t, other)
}

// BitwiseXorScalar is BitwiseXor for a number. Follows torch.bitwise_xor.
func (t *Tensor) BitwiseXorScalar(other any) *Tensor {
	return withScalar("BitwiseXorScalar(self)", aten.BitwiseXorScalar, t, "other", other)
}

// BitwiseNot flips every bit of integers, and bools. It panics with ErrDType
// for floating point. Follows torch.bitwise_not.
func (t *Tensor) BitwiseNot() *Tensor { return unary("BitwiseNot(self)", aten.BitwiseNot, t) }

// BitwiseLeftShift returns t << other for integers. Panics are those of
// BitwiseAnd. Follows torch.bitwise_left_shift.
func (t *Tensor) BitwiseLeftShift(other *Tensor) *Tensor {
	return binary("BitwiseLeftShift(self, other)", aten.BitwiseLeftShiftTensor, t, other)
}

// BitwiseLeftShiftScalar is BitwiseLeftShift for a number. Follows
// torch.bitwise_left_shift.
func (t *Tensor) BitwiseLeftShiftScalar(other any) *Tensor {
	return withScalar("BitwiseLeftShiftScalar(self)", aten.BitwiseLeftShiftTensorScalar, t, "other", other)
}

// BitwiseRightShift returns t >> other for integers, keeping the sign. Panics
// are those of BitwiseAnd. Follows torch.bitwise_right_shift.
func (t *Tensor) BitwiseRightShift(other *Tensor) *Tensor {
	return binary("BitwiseRightShift(self, other)", aten.BitwiseRightShiftTensor, t, other)
}

// BitwiseRightShiftScalar is BitwiseRightShift for a number. Follows
// torch.bitwise_right_shift.
func (t *Tensor) BitwiseRightShiftScalar(other any) *Tensor {
	return withScalar("BitwiseRightShiftScalar(self)", aten.BitwiseRightShiftTensorScalar, t, "other", other)
}
