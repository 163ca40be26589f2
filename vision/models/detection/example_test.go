package detection_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/vision/models/detection"
)

// A model is trained with the boxes of objects, and then finds objects in an image.
func Example() {
	model := detection.NewSSDLite320MobileNetV3Large(detection.NumClasses(3), detection.DetectionsPerImg(2))
	defer model.Close()
	images := []*torch.Tensor{torch.Rand(torch.Shape{3, 240, 320}), torch.Rand(torch.Shape{3, 200, 200})}
	torch.Scope(func() {
		targets := []detection.Target{
			{Boxes: torch.FromSlice([]float32{20, 30, 120, 200}, 1, 4), Labels: torch.FromSlice([]int64{1})},
			{Boxes: torch.FromSlice([]float32{10, 10, 90, 80}, 1, 4), Labels: torch.FromSlice([]int64{2})},
		}
		losses := model.Losses(images, targets)
		for _, l := range losses {
			fmt.Println(l.Name)
		}
		losses.Sum().Backward()
	})
	model.Eval()
	torch.NoGrad(func() {
		torch.Scope(func() {
			found := model.Detect(images)
			fmt.Println(found[0].Boxes.Shape(), found[0].Labels.Shape(), found[0].Scores.Shape())
		})
	})
	// Output:
	// bbox_regression
	// classification
	// (2, 4) (2,) (2,)
}

// A program loads one of torchvision's files.
func ExampleGetModelWeights() {
	weights, err := detection.GetModelWeights("retinanet_resnet50_fpn")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(weights[0].Name, weights[0].File)
	file, err := serialization.OpenStateDict(weights[0].File)
	if err != nil {
		return // the file has not been downloaded
	}
	defer file.Close()
	model := detection.NewRetinaNetResNet50FPN(detection.Pretrained(true))
	defer model.Close()
	if err := model.LoadStateDict(file); err != nil {
		fmt.Println(err)
	}
	if weights[0].ZeroEps {
		detection.OverwriteEps(model, 0)
	}
	// Output: RetinaNet_ResNet50_FPN_Weights.COCO_V1 retinanet_resnet50_fpn_coco-eeacb38b.pth
}

// The losses can be weighted before the backward pass.
func ExampleLosses() {
	losses := detection.Losses{
		{Name: "classification", Tensor: torch.FromSlice([]float32{2})},
		{Name: "bbox_regression", Tensor: torch.FromSlice([]float32{0.5})},
	}
	torch.Scope(func() {
		fmt.Println(losses.Sum(), losses.Get("bbox_regression"))
	})
	// Output: tensor([2.5000]) tensor([0.5000])
}

// Close frees a detection at once.
func ExampleDetection() {
	d := detection.Detection{
		Boxes: torch.Zeros(torch.Shape{1, 4}), Labels: torch.FromSlice([]int64{1}),
		Scores: torch.FromSlice([]float32{0.5}),
	}
	fmt.Println(d.Labels, d.Scores)
	fmt.Println(d.Close())
	// Output:
	// tensor([1]) tensor([0.5000])
	// <nil>
}

// A model for other classes gets a new predictor.
func ExampleNewFastRCNNPredictor() {
	torch.WithDevice(torch.Meta, func() { // without memory for the parameters
		model := detection.NewFasterRCNNResNet50FPN()
		defer model.Close()
		old := model.RoIHeads.BoxPredictor
		model.RoIHeads.BoxPredictor = detection.NewFastRCNNPredictor(1024, 5).In(model.RoIHeads, "box_predictor")
		_ = old.Close()
		fmt.Println(model.RoIHeads.BoxPredictor.CLSScore)
	})
	// Output: Linear(in_features=1024, out_features=5, bias=True)
}

// The names are those of torchvision.
func ExampleListModels() {
	fmt.Println(detection.ListModels()[:2])
	model, err := detection.GetModel("ssd300_vgg17")
	fmt.Println(model, err)
	// Output:
	// [fasterrcnn_mobilenet_v3_large_320_fpn fasterrcnn_mobilenet_v3_large_fpn]
	// <nil> torch: detection.GetModel: argument name: there is no model "ssd300_vgg17"
}

// Each position of a feature map gets two anchors.
func ExampleNewAnchorGenerator() {
	g := detection.NewAnchorGenerator([][]float64{{32, 64}}, [][]float64{{1}})
	fmt.Println(g, g.Sizes)
	// Output: AnchorGenerator() [[32 64]]
}

// The predictor computes a map for each keypoint.
func ExampleNewKeypointRCNNPredictor() {
	p := detection.NewKeypointRCNNPredictor(8, 3)
	defer p.Close()
	torch.Scope(func() { fmt.Println(p.Forward(torch.Rand(torch.Shape{2, 8, 7, 7})).Shape()) })
	// Output: (2, 3, 28, 28)
}
