// Package models provides torchvision's models for image classification: AlexNet, VGG,
// ResNet with ResNeXt and Wide ResNet, SqueezeNet, DenseNet, MobileNetV2 and V3,
// EfficientNet and EfficientNetV2, ConvNeXt and the Vision Transformer. They correspond
// to torchvision 0.26, which belongs to PyTorch 2.11.
//
//	model := models.NewResNet18(models.NumClasses(10))
//	defer model.Close()
//	logits := model.Forward(images) // (N, 3, H, W), normalized, to (N, 10)
//
// # Compatibility with torchvision
//
// The parameters have torchvision's names and order. After the same torch.ManualSeed they
// have the same initial values, and training drops the same elements. A model prints as
// in Python. Options are torchvision's keyword arguments with its defaults; there are no
// weights and progress arguments, because nothing is downloaded.
//
// # Weights
//
// A program downloads a torchvision weights file itself and loads it with
// torch/serialization:
//
//	file, err := serialization.OpenStateDict("resnet18-f37072fd.pth")
//	...
//	err = model.LoadStateDict(file)
//
// [GetModelWeights] lists the files for a model, and how to prepare images for them.
// Files with old names load as in torchvision: batch normalizations without
// num_batches_tracked, the dense layers of DenseNet, and the MLPs of the Vision
// Transformer.
//
// # Fields
//
// The parts of a model are fields, and can be replaced as in Python:
//
//	model.FC = nn.NewLinear(512, 10, model.As("fc")) // model.fc = nn.Linear(512, 10)
//
// The program closes the layer that it replaces. Parts that are indexed in Python are
// Sequentials: model.layer1[0] is model.Layer1.At(0).
//
// # Ownership and errors
//
// The caller of a constructor owns the model. The result of Forward is a new tensor,
// owned by the innermost scope or else by the garbage collector. Any number of goroutines
// may run the forward pass of one model. Constructors panic with ErrNil for a nil option,
// with ErrValue for a negative count or a probability outside 0 to 1, and with
// ErrOutOfMemory. Forward panics with ErrShape for images with a wrong number of
// dimensions or channels, or too small for the model, and with ErrDType if their dtype
// differs from the parameters' dtype.
package models
