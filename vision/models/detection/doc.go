// Package detection provides torchvision's models for the detection of objects: Faster R-CNN, Mask R-CNN,
// Keypoint R-CNN, RetinaNet, FCOS, SSD and SSDlite. They correspond to torchvision 0.26, which belongs to
// PyTorch 2.11.
//
//	model := detection.NewRetinaNetResNet50FPN(detection.NumClasses(3))
//	defer model.Close()
//	losses := model.Losses(images, targets) // in training mode
//	losses.Sum().Backward()
//	model.Eval()
//	found := model.Detect(images) // boxes, labels and scores of each image
//
// Images are tensors of shape (3, H, W) with values from 0 to 1. Their sizes may differ, because a model
// resizes them itself.
//
// # Compatibility with torchvision
//
// The parameters have torchvision's names and order. After the same torch.ManualSeed they have the same
// initial values, and training draws the same anchors and proposals. A model prints as in Python. Options are
// torchvision's keyword arguments with its defaults; as nothing is downloaded, [Pretrained] says that a
// program loads weights. Where Python's model returns losses in training mode and detections in evaluation
// mode, there are two methods: Losses and Detect.
//
// # Weights
//
// A program downloads a torchvision weights file itself and loads it with torch/serialization:
//
//	model := detection.NewRetinaNetResNet50FPN(detection.Pretrained(true))
//	file, err := serialization.OpenStateDict("retinanet_resnet50_fpn_coco-eeacb38b.pth")
//	...
//	err = model.LoadStateDict(file)
//	detection.OverwriteEps(model, 0) // see [Weights.ZeroEps]
//
// [GetModelWeights] lists the files for a model.
//
// # Ownership and errors
//
// The caller of a constructor owns the model. The results of Losses and Detect are owned by the innermost
// scope or else by the garbage collector. Any number of goroutines may call Detect of one model. Constructors
// panic with ErrNil for a nil option, and with ErrValue for an invalid value.
package detection
