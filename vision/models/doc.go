// Package models has torchvision's models that classify images: AlexNet, VGG, ResNet with
// ResNeXt and Wide ResNet, SqueezeNet, DenseNet, MobileNetV2 and V3, EfficientNet and
// EfficientNetV2, ConvNeXt and the Vision Transformer. They are those of torchvision 0.26,
// which goes with PyTorch 2.11.
//
//	model := models.NewResNet18(models.NumClasses(10))
//	defer model.Close()
//	logits := model.Forward(images) // (N, 3, H, W), normalized, to (N, 10)
//
// # The same as torchvision
//
// The parameters have torchvision's names, in its order. After the same torch.ManualSeed
// they have its values, and in training the same elements are dropped. A model prints as
// Python's does. Options are torchvision's keyword arguments with its defaults; weights
// and progress are none, since nothing is fetched.
//
// # Weights
//
// A program downloads a file of torchvision's itself and loads it with
// torch/serialization:
//
//	file, err := serialization.OpenStateDict("resnet18-f37072fd.pth")
//	...
//	err = model.LoadStateDict(file)
//
// [GetModelWeights] says which files fit a model, and how images have to be prepared for
// them. Files of old names load as in torchvision: statistics without
// num_batches_tracked, the dense layers of DenseNet and the MLPs of the Vision Transformer.
//
// # Fields
//
// The parts of a model are fields, to be replaced as in Python:
//
//	model.FC = nn.NewLinear(512, 10, model.As("fc")) // model.fc = nn.Linear(512, 10)
//
// The program closes what was there before. Those that Python indexes are Sequentials:
// model.Layer1.At(0).
//
// # Ownership and errors
//
// Whoever makes a model owns it. What Forward returns is a new tensor that belongs to the
// innermost scope, else to the collector. Any number of goroutines may run one model
// forward. Constructors panic with ErrNil for a nil option, with ErrValue for a number that
// is negative where it counts something or no probability where it has to be one, and with
// ErrOutOfMemory. Forward panics with ErrShape for images of another number of dimensions
// or channels, or too small for the model, and with ErrDType for those of another dtype
// than the parameters.
package models
