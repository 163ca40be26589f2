package metrics_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/metrics"
)

// Measure a detector on an image with two objects, one of which it finds.
func ExampleMeanAveragePrecision() {
	metric := metrics.NewMeanAveragePrecision()
	torch.Scope(func() {
		metric.Update(metrics.Detection{
			Boxes:  torch.FromSlice([]float32{10, 10, 52, 48, 70, 70, 80, 80}, 2, 4),
			Scores: torch.FromSlice([]float32{0.9, 0.3}),
			Labels: torch.FromSlice([]int64{1, 1}),
		}, metrics.Target{
			Boxes:  torch.FromSlice([]float32{10, 10, 50, 50, 100, 20, 190, 160}, 2, 4),
			Labels: torch.FromSlice([]int64{1, 1}),
		})
	})
	r := metric.Compute()
	fmt.Printf("%.3f %.3f\n", r.AP50, r.AR100)
	fmt.Println(r)
	// Output:
	// 0.505 0.450
	//  Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.454
	//  Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 0.505
	//  Average Precision  (AP) @[ IoU=0.75      | area=   all | maxDets=100 ] = 0.505
	//  Average Precision  (AP) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = -1.000
	//  Average Precision  (AP) @[ IoU=0.50:0.95 | area=medium | maxDets=100 ] = 0.900
	//  Average Precision  (AP) @[ IoU=0.50:0.95 | area= large | maxDets=100 ] = 0.000
	//  Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=  1 ] = 0.450
	//  Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets= 10 ] = 0.450
	//  Average Recall     (AR) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.450
	//  Average Recall     (AR) @[ IoU=0.50:0.95 | area= small | maxDets=100 ] = -1.000
	//  Average Recall     (AR) @[ IoU=0.50:0.95 | area=medium | maxDets=100 ] = 0.900
	//  Average Recall     (AR) @[ IoU=0.50:0.95 | area= large | maxDets=100 ] = 0.000
}

// Example shows the precision of each class.
func Example() {
	metric := metrics.NewMeanAveragePrecision(metrics.IoUTypeSegm)
	torch.Scope(func() {
		masks := torch.Zeros(torch.Shape{2, 40, 40}, torch.Bool)
		masks.SetIndex(true, 0, torch.Slice(5, 25), torch.Slice(5, 25))
		masks.SetIndex(true, 1, torch.Slice(20, 30), torch.Slice(20, 30))
		metric.Update(
			metrics.Detection{
				Masks: masks, Scores: torch.FromSlice([]float32{0.8, 0.7}), Labels: torch.FromSlice([]int64{3, 5}),
			},
			metrics.Target{Masks: masks, Labels: torch.FromSlice([]int64{3, 4})},
		)
	})
	r := metric.Compute()
	for i, class := range r.Classes {
		fmt.Printf("class %d: %.2f\n", class, r.ClassAP[i])
	}
	// Output:
	// class 3: 1.00
	// class 4: 0.00
}

func ExampleResult() {
	var r metrics.Result
	fmt.Println(len(r.Stats()))
	// Output: 12
}
