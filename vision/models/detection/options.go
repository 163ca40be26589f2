package detection

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// An Option is an option of one of the models, for [GetModel].
//
//gotorch:options NumClasses Pretrained TrainableBackboneLayers MinSize MinSizes MaxSize ImageMean ImageStd
//gotorch:options ScoreThresh NMSThresh DetectionsPerImg FGIoUThresh BGIoUThresh TopKCandidates NormLayer
//gotorch:options CenterSamplingRadius IoUThresh PositiveFraction NumKeypoints BBoxRegWeights
//gotorch:options RPNPreNMSTopNTrain RPNPreNMSTopNTest RPNPostNMSTopNTrain RPNPostNMSTopNTest RPNNMSThresh
//gotorch:options RPNFGIoUThresh RPNBGIoUThresh RPNBatchSizePerImage RPNPositiveFraction RPNScoreThresh
//gotorch:options BoxScoreThresh BoxNMSThresh BoxDetectionsPerImg BoxFGIoUThresh BoxBGIoUThresh
//gotorch:options BoxBatchSizePerImage BoxPositiveFraction
type Option interface{ option() }

type (
	// A RetinaNetOption is an option of a [RetinaNet].
	//
	//gotorch:options NumClasses Pretrained TrainableBackboneLayers MinSize MinSizes MaxSize ImageMean ImageStd
	//gotorch:options ScoreThresh NMSThresh DetectionsPerImg FGIoUThresh BGIoUThresh TopKCandidates
	RetinaNetOption interface{ retinaNetOption() }
	// An FCOSOption is an option of an [FCOS].
	//
	//gotorch:options NumClasses Pretrained TrainableBackboneLayers MinSize MinSizes MaxSize ImageMean ImageStd
	//gotorch:options ScoreThresh NMSThresh DetectionsPerImg TopKCandidates CenterSamplingRadius
	FCOSOption interface{ fcosOption() }
	// An SSDOption is an option of an [SSD].
	//
	//gotorch:options NumClasses Pretrained TrainableBackboneLayers ImageMean ImageStd ScoreThresh NMSThresh
	//gotorch:options DetectionsPerImg IoUThresh TopKCandidates PositiveFraction
	SSDOption interface{ ssdOption() }
	// An SSDLiteOption is an [SSDOption] or [NormLayer].
	//
	//gotorch:options NumClasses Pretrained TrainableBackboneLayers ImageMean ImageStd ScoreThresh NMSThresh
	//gotorch:options DetectionsPerImg IoUThresh TopKCandidates PositiveFraction NormLayer
	SSDLiteOption interface{ ssdLiteOption() }
	// An RCNNOption is an option of a Faster R-CNN or a Mask R-CNN.
	//
	//gotorch:options NumClasses Pretrained TrainableBackboneLayers MinSize MinSizes MaxSize ImageMean ImageStd
	//gotorch:options RPNPreNMSTopNTrain RPNPreNMSTopNTest RPNPostNMSTopNTrain RPNPostNMSTopNTest RPNNMSThresh
	//gotorch:options RPNFGIoUThresh RPNBGIoUThresh RPNBatchSizePerImage RPNPositiveFraction RPNScoreThresh
	//gotorch:options BoxScoreThresh BoxNMSThresh BoxDetectionsPerImg BoxFGIoUThresh BoxBGIoUThresh
	//gotorch:options BoxBatchSizePerImage BoxPositiveFraction BBoxRegWeights
	RCNNOption interface{ rcnnOption() }
	// A KeypointRCNNOption is an [RCNNOption] or [NumKeypoints].
	//
	//gotorch:options NumClasses Pretrained TrainableBackboneLayers MinSize MinSizes MaxSize ImageMean ImageStd
	//gotorch:options RPNPreNMSTopNTrain RPNPreNMSTopNTest RPNPostNMSTopNTrain RPNPostNMSTopNTest RPNNMSThresh
	//gotorch:options RPNFGIoUThresh RPNBGIoUThresh RPNBatchSizePerImage RPNPositiveFraction RPNScoreThresh
	//gotorch:options BoxScoreThresh BoxNMSThresh BoxDetectionsPerImg BoxFGIoUThresh BoxBGIoUThresh
	//gotorch:options BoxBatchSizePerImage BoxPositiveFraction BBoxRegWeights NumKeypoints
	KeypointRCNNOption interface{ keypointRCNNOption() }
)

// Options of all models.
type (
	// NumClasses is the number of classes, with the background; num_classes in Python. The default is
	// 91, and 2 for a Keypoint R-CNN.
	NumClasses int64
	// Pretrained builds the model for a file of weights that the program loads next: models with
	// constant batch normalizations get them, and [TrainableBackboneLayers] gets its default for
	// pretrained models. In Python, the arguments weights and weights_backbone do this. The default is
	// false.
	Pretrained bool
	// TrainableBackboneLayers is the number of stages of the backbone, from its end, whose parameters
	// are trained; trainable_backbone_layers in Python, where it has no effect without weights. By
	// default all are, and with [Pretrained] the last 3 of 5 (of 6 in a MobileNet), 4 in an SSD and all
	// in an SSDlite.
	TrainableBackboneLayers int
	// MinSize is the length to which the shorter side of an image is resized, min_size in Python. The
	// default is 800, and 320 in the small Faster R-CNN.
	MinSize int64
	// MinSizes is like MinSize with several lengths: training draws one, and evaluation uses the last.
	// The default of a Keypoint R-CNN is MinSizes{640, 672, 704, 736, 768, 800}.
	MinSizes []int64
	// MaxSize is the largest length of the longer side of a resized image, max_size in Python. The
	// default is 1333, and 640 in the small Faster R-CNN.
	MaxSize int64
	// ImageMean is the mean of each channel, by which images are normalized; image_mean in Python. The
	// default is that of ImageNet in most models.
	ImageMean []float64
	// ImageStd is the standard deviation of each channel, image_std in Python. The default is that of
	// ImageNet in most models.
	ImageStd []float64
	// NormLayer returns a normalization for the given number of channels, norm_layer in Python. If it is
	// nil or not given, it is an nn.NewBatchNorm2d with the eps 0.001 and the momentum 0.03.
	NormLayer func(channels int64) nn.Layer
)

// Options of the models without regions.
type (
	// ScoreThresh is the score below which detections are dropped, score_thresh in Python. The default
	// is 0.05 in a RetinaNet, 0.2 in an FCOS, 0.01 in an SSD and 0.001 in an SSDlite.
	ScoreThresh float64
	// NMSThresh is the overlap above which the worse of two detections is dropped, nms_thresh in
	// Python. The default is 0.5 in a RetinaNet, 0.6 in an FCOS, 0.45 in an SSD and 0.55 in an SSDlite.
	NMSThresh float64
	// DetectionsPerImg is the largest number of detections in an image, detections_per_img in Python.
	// The default is 300 in a RetinaNet and an SSDlite, 100 in an FCOS and 200 in an SSD.
	DetectionsPerImg int64
	// FGIoUThresh is the overlap from which an anchor stands for an object in training, fg_iou_thresh
	// in Python. The default is 0.5.
	FGIoUThresh float64
	// BGIoUThresh is the overlap below which an anchor stands for the background in training,
	// bg_iou_thresh in Python. The default is 0.4.
	BGIoUThresh float64
	// TopKCandidates is the number of detections on each feature map, or in an SSD of each class, that
	// are compared with each other; topk_candidates in Python. The default is 1000 in a RetinaNet and an
	// FCOS, 400 in an SSD and 300 in an SSDlite.
	TopKCandidates int64
	// CenterSamplingRadius is how far from an object's center anchors of an FCOS may stand for it, in
	// multiples of their size; center_sampling_radius in Python. The default is 1.5.
	CenterSamplingRadius float64
	// IoUThresh is the overlap from which a default box of an SSD stands for an object in training,
	// iou_thresh in Python. The default is 0.5.
	IoUThresh float64
	// PositiveFraction is the share of boxes with objects in the classification loss of an SSD,
	// positive_fraction in Python. The default is 0.25.
	PositiveFraction float64
)

// Options of the models with regions. RPN is the region proposal network, and Box the part that classifies
// the regions.
type (
	// NumKeypoints is the number of keypoints of an object, num_keypoints in Python. The default is 17.
	NumKeypoints int64
	// RPNPreNMSTopNTrain is the number of proposals on each feature map that are compared with each
	// other in training, rpn_pre_nms_top_n_train in Python. The default is 2000.
	RPNPreNMSTopNTrain int64
	// RPNPreNMSTopNTest is RPNPreNMSTopNTrain for evaluation. The default is 1000, and 150 in the small
	// Faster R-CNN.
	RPNPreNMSTopNTest int64
	// RPNPostNMSTopNTrain is the largest number of proposals in an image in training,
	// rpn_post_nms_top_n_train in Python. The default is 2000.
	RPNPostNMSTopNTrain int64
	// RPNPostNMSTopNTest is RPNPostNMSTopNTrain for evaluation. The default is 1000, and 150 in the
	// small Faster R-CNN.
	RPNPostNMSTopNTest int64
	// RPNNMSThresh is the overlap above which the worse of two proposals is dropped, rpn_nms_thresh in
	// Python. The default is 0.7.
	RPNNMSThresh float64
	// RPNFGIoUThresh is the overlap from which an anchor stands for an object in training,
	// rpn_fg_iou_thresh in Python. The default is 0.7.
	RPNFGIoUThresh float64
	// RPNBGIoUThresh is the overlap below which an anchor stands for the background in training,
	// rpn_bg_iou_thresh in Python. The default is 0.3.
	RPNBGIoUThresh float64
	// RPNBatchSizePerImage is the number of anchors of an image in the loss,
	// rpn_batch_size_per_image in Python. The default is 256.
	RPNBatchSizePerImage int64
	// RPNPositiveFraction is the largest share of anchors with objects in the loss,
	// rpn_positive_fraction in Python. The default is 0.5.
	RPNPositiveFraction float64
	// RPNScoreThresh is the score below which proposals are dropped, rpn_score_thresh in Python. The
	// default is 0, and 0.05 with a MobileNet.
	RPNScoreThresh float64
	// BoxScoreThresh is the score below which detections are dropped, box_score_thresh in Python. The
	// default is 0.05.
	BoxScoreThresh float64
	// BoxNMSThresh is the overlap above which the worse of two detections is dropped, box_nms_thresh in
	// Python. The default is 0.5.
	BoxNMSThresh float64
	// BoxDetectionsPerImg is the largest number of detections in an image, box_detections_per_img in
	// Python. The default is 100.
	BoxDetectionsPerImg int64
	// BoxFGIoUThresh is the overlap from which a proposal stands for an object in training,
	// box_fg_iou_thresh in Python. The default is 0.5.
	BoxFGIoUThresh float64
	// BoxBGIoUThresh is the overlap below which a proposal stands for the background in training,
	// box_bg_iou_thresh in Python. The default is 0.5.
	BoxBGIoUThresh float64
	// BoxBatchSizePerImage is the number of proposals of an image in the loss,
	// box_batch_size_per_image in Python. The default is 512.
	BoxBatchSizePerImage int64
	// BoxPositiveFraction is the largest share of proposals with objects in the loss,
	// box_positive_fraction in Python. The default is 0.25.
	BoxPositiveFraction float64
	// BBoxRegWeights are factors of the differences between proposals and boxes, bbox_reg_weights in
	// Python. The default is BBoxRegWeights{10, 10, 5, 5}.
	BBoxRegWeights [4]float64
)

// region contains the settings of one of the two parts of a model with regions.
type region struct {
	scoreThresh, nmsThresh, fg, bg, positiveFraction float64
	batchSize                                        int64
	preTrain, preTest, postTrain, postTest           int64
}

// config contains the values of the options of all models.
type config struct {
	op                  string
	numClasses          int64
	pretrained          bool
	trainable           int
	minSize             []int64
	maxSize             int64
	imageMean, imageStd []float64
	norm                func(channels int64) nn.Layer

	scoreThresh, nmsThresh, fg, bg, radius, iou, positiveFraction float64
	detections, topK                                              int64

	keypoints   int64
	rpn, box    region
	regWeights  [4]float64
	trainableBy bool // whether trainable was given
}

// defaults returns the values that most models have.
func defaults() config {
	return config{
		numClasses: 91, minSize: []int64{800}, maxSize: 1333,
		imageMean: []float64{0.485, 0.456, 0.406}, imageStd: []float64{0.229, 0.224, 0.225},
		rpn: region{
			scoreThresh: 0, nmsThresh: 0.7, fg: 0.7, bg: 0.3, positiveFraction: 0.5, batchSize: 256,
			preTrain: 2000, preTest: 1000, postTrain: 2000, postTest: 1000,
		},
		box:        region{scoreThresh: 0.05, nmsThresh: 0.5, fg: 0.5, bg: 0.5, positiveFraction: 0.25, batchSize: 512},
		regWeights: [4]float64{10, 10, 5, 5}, keypoints: 17, detections: 100,
	}
}

// read returns c with the values of opts. The backbone has the given number of stages, of which a
// pretrained model trains usual ones.
func read[O any](op string, c config, stages, usual int, opts []O) *config {
	c.op = op
	for _, o := range opts {
		if !c.readGeneral(o) && !c.readPlain(o) && !c.readRegions(o) {
			panic(torch.BadOption(op, o))
		}
	}
	switch {
	case c.trainableBy:
	case c.pretrained:
		c.trainable = usual
	default:
		c.trainable = stages
	}
	if c.trainable < 0 || c.trainable > stages {
		panic(torch.NewError(op, torch.ErrValue, "TrainableBackboneLayers",
			fmt.Sprintf("expected a number from 0 to %d, got %d", stages, c.trainable)))
	}
	if c.fg < c.bg || c.rpn.fg < c.rpn.bg || c.box.fg < c.box.bg {
		panic(torch.NewError(op, torch.ErrValue, "BGIoUThresh", "it is above the threshold of objects"))
	}
	return &c
}

func (c *config) readGeneral(o any) bool {
	switch o := o.(type) {
	case NumClasses:
		c.numClasses = c.count("NumClasses", int64(o), 1)
	case Pretrained:
		c.pretrained = bool(o)
	case TrainableBackboneLayers:
		c.trainable, c.trainableBy = int(o), true
	case MinSize:
		c.minSize = []int64{c.count("MinSize", int64(o), 1)}
	case MinSizes:
		if len(o) == 0 {
			panic(torch.NewError(c.op, torch.ErrValue, "MinSizes", "expected at least one length"))
		}
		for _, n := range o {
			c.count("MinSizes", n, 1)
		}
		c.minSize = o
	case MaxSize:
		c.maxSize = c.count("MaxSize", int64(o), 1)
	case ImageMean:
		c.imageMean = c.three("ImageMean", o)
	case ImageStd:
		c.imageStd = c.three("ImageStd", o)
	case NormLayer:
		c.norm = o
	default:
		return false
	}
	return true
}

func (c *config) readPlain(o any) bool {
	switch o := o.(type) {
	case ScoreThresh:
		c.scoreThresh = float64(o)
	case NMSThresh:
		c.nmsThresh = float64(o)
	case DetectionsPerImg:
		c.detections = c.count("DetectionsPerImg", int64(o), 0)
	case FGIoUThresh:
		c.fg = float64(o)
	case BGIoUThresh:
		c.bg = float64(o)
	case TopKCandidates:
		c.topK = c.count("TopKCandidates", int64(o), 0)
	case CenterSamplingRadius:
		c.radius = float64(o)
	case IoUThresh:
		c.iou = float64(o)
	case PositiveFraction:
		if c.positiveFraction = float64(o); !(o > 0 && o <= 1) {
			panic(torch.NewError(c.op, torch.ErrValue, "PositiveFraction",
				fmt.Sprintf("expected a number above 0, up to 1, got %v", float64(o))))
		}
	default:
		return false
	}
	return true
}

func (c *config) readRegions(o any) bool {
	switch o := o.(type) {
	case NumKeypoints:
		c.keypoints = c.count("NumKeypoints", int64(o), 1)
	case RPNPreNMSTopNTrain:
		c.rpn.preTrain = c.count("RPNPreNMSTopNTrain", int64(o), 0)
	case RPNPreNMSTopNTest:
		c.rpn.preTest = c.count("RPNPreNMSTopNTest", int64(o), 0)
	case RPNPostNMSTopNTrain:
		c.rpn.postTrain = c.count("RPNPostNMSTopNTrain", int64(o), 0)
	case RPNPostNMSTopNTest:
		c.rpn.postTest = c.count("RPNPostNMSTopNTest", int64(o), 0)
	case RPNNMSThresh:
		c.rpn.nmsThresh = float64(o)
	case RPNFGIoUThresh:
		c.rpn.fg = float64(o)
	case RPNBGIoUThresh:
		c.rpn.bg = float64(o)
	case RPNBatchSizePerImage:
		c.rpn.batchSize = c.count("RPNBatchSizePerImage", int64(o), 1)
	case RPNPositiveFraction:
		c.rpn.positiveFraction = c.fraction("RPNPositiveFraction", float64(o))
	case RPNScoreThresh:
		c.rpn.scoreThresh = float64(o)
	case BoxScoreThresh:
		c.box.scoreThresh = float64(o)
	case BoxNMSThresh:
		c.box.nmsThresh = float64(o)
	case BoxDetectionsPerImg:
		c.detections = c.count("BoxDetectionsPerImg", int64(o), 0)
	case BoxFGIoUThresh:
		c.box.fg = float64(o)
	case BoxBGIoUThresh:
		c.box.bg = float64(o)
	case BoxBatchSizePerImage:
		c.box.batchSize = c.count("BoxBatchSizePerImage", int64(o), 1)
	case BoxPositiveFraction:
		c.box.positiveFraction = c.fraction("BoxPositiveFraction", float64(o))
	case BBoxRegWeights:
		c.regWeights = o
	default:
		return false
	}
	return true
}

// largest is the maximum of counts and sizes.
const largest = 1 << 24

func (c *config) count(arg string, n, least int64) int64 {
	if n < least || n > largest {
		panic(torch.NewError(c.op, torch.ErrValue, arg,
			fmt.Sprintf("expected a number from %d to %d, got %d", least, largest, n)))
	}
	return n
}

func (c *config) fraction(arg string, f float64) float64 {
	if !(f >= 0 && f <= 1) {
		panic(torch.NewError(c.op, torch.ErrValue, arg, fmt.Sprintf("expected a number from 0 to 1, got %v", f)))
	}
	return f
}

func (c *config) three(arg string, v []float64) []float64 {
	if len(v) != 3 {
		panic(torch.NewError(c.op, torch.ErrValue, arg, fmt.Sprintf("expected 3 numbers, got %d", len(v))))
	}
	return v
}
