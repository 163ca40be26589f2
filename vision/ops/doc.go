// Package ops provides torchvision.ops: operators on boxes and regions of images, and layers.
//
// # Boxes
//
// Boxes are rows of a tensor of shape (N, 4), by default with the left, top, right and bottom edge
// ([FmtXYXY]). [BoxConvert] converts other formats. [BoxIoU], [GeneralizedBoxIoU], [DistanceBoxIoU] and
// [CompleteBoxIoU] compare boxes, and there are losses of the last three. [NMS] and [BatchedNMS] drop
// boxes that overlap better ones.
//
// # Regions
//
// [ApplyRoIAlign], [ApplyRoIPool], [ApplyPSRoIAlign] and [ApplyPSRoIPool] pool regions of feature maps
// to a fixed size. [ApplyDeformConv2d] is a convolution that samples its input at other places. These
// functions, which torchvision writes in lower case, begin with Apply because the layers have the plain
// names, such as [RoIAlign].
//
// # Operators in scripts
//
// Importing this package registers torchvision's operators, so that scripts (torch/jit), exported
// programs (torch/export) and torch/ops find torchvision::nms and the others. The kernels are for the
// CPU. If torch/ops.LoadLibrary loads torchvision's own library, its kernels are used instead.
//
// # Layers
//
// [Conv2dNormActivation], [SqueezeExcitation], [StochasticDepth], [MLP] and the other layers are modules
// like those of package nn. The caller of a constructor owns the layer. Close the layer, or the module
// that it is registered with.
//
// # Ownership and errors
//
// Results are owned by the innermost scope or else by the garbage collector. Functions leave no
// temporaries behind. They panic with a *torch.Error: ErrNil for a nil tensor or option, ErrClosed for a
// closed tensor, ErrShape, ErrDType or ErrValue for invalid arguments. Constructors panic with ErrNil for
// a nil option and with ErrValue for an invalid number.
package ops
