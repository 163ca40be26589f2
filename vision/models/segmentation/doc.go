// Package segmentation provides torchvision's models that assign a class to each pixel of an
// image: FCN and DeepLabV3 with a ResNet, DeepLabV3 with a MobileNetV3, and LR-ASPP. They
// correspond to torchvision 0.26, which belongs to PyTorch 2.11.
//
//	model := segmentation.NewDeepLabV3ResNet50(segmentation.NumClasses(5), segmentation.AuxLoss(true))
//	defer model.Close()
//	y := model.Forward(images)                 // (N, 3, H, W), normalized
//	loss := F.CrossEntropy(y.Out, masks)       // (N, 5, H, W) and (N, H, W)
//	aux := F.CrossEntropy(y.Aux, masks)
//	loss.Add(aux.MulScalar(0.5)).Backward()
//
// Names, order and initial values of the parameters are as in torchvision: the same
// torch.ManualSeed gives the same model. The backbone starts with random values; load a file of
// package vision/models into it to start with values trained on ImageNet. [GetModelWeights]
// lists torchvision's files for the whole models, and how to prepare images for them.
//
// The caller of a constructor owns the model. The results of Forward are new tensors, owned by
// the innermost scope or else by the garbage collector. Constructors panic with ErrNil for a nil
// option, with ErrValue for an invalid number of classes, and with ErrOutOfMemory. Forward
// panics with ErrShape for images with a wrong number of dimensions or channels, and with ErrDType
// if their dtype differs from the parameters' dtype. In training, a DeepLabV3 panics with ErrValue
// for a batch of one image, whose mean it cannot normalize.
package segmentation
