// Package metrics measures detectors of boxes, masks and key points: the mean average precision of COCO.
//
//	metric := metrics.NewMeanAveragePrecision()
//	for ... {
//		metric.Update(metrics.Detection{Boxes: boxes, Scores: scores, Labels: labels}, // of an image
//			metrics.Target{Boxes: wanted, Labels: classes})
//	}
//	fmt.Println(metric.Compute())
//
// The numbers equal those of pycocotools.cocoeval.COCOeval, up to rounding.
package metrics
