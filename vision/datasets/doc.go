// Package datasets reads datasets for detection and segmentation: folders in the formats of COCO and
// Pascal VOC. The examples are samples of package vision/transforms.
//
//	set, err := datasets.NewCocoDetection("train2017", "annotations/instances_train2017.json",
//		datasets.Transforms(tv.NewCompose(tv.NewRandomHorizontalFlip(), tv.NewSanitizeBoundingBoxes())))
//	...
//	loader := data.NewLoader(set, data.BatchSize(4), data.Shuffle(true), data.CollateFn(datasets.Collate))
//	for batch := range loader.All() {
//		for _, s := range batch.Value.([]tv.Sample) {
//			fmt.Println(s.Image.Shape(), s.Boxes.Tensor.Shape(), s.Labels.Shape())
//		}
//	}
//
// Follows torchvision.datasets with torchvision.datasets.wrap_dataset_for_transforms_v2.
//
// # Hostile files
//
// Files may come from strangers: see docs/security.md. Reading takes memory of at most a multiple of the
// size of the annotations, and images and masks have limits. File names in annotations must lie in the
// folder of the dataset. Errors are *torch.FileError for annotations and *data.FileError for images.
package datasets
