package data

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// A WebDatasetOption is an argument of [NewWebDataset] that Python takes by keyword or as a
// step of a webdataset pipeline: [Fields], [FieldDecoders], [MapSample], [ImageReadMode],
// [ApplyEXIFOrientation], [Decoder], [MaxPixels], [WithTransform], [ShardShuffle],
// [ShuffleBuffer], [Generator], [SplitByNode], [Handler], [EmptyCheck], [OpenShard],
// [Decompressors], [MaxFieldBytes] or [MaxSampleBytes].
//
//gotorch:options Fields FieldDecoders MapSample ImageReadMode ApplyEXIFOrientation Decoder MaxPixels
//gotorch:options TransformOption ShardShuffle ShuffleBuffer GeneratorOption SplitByNodeOption Handler
//gotorch:options EmptyCheck OpenShard Decompressors MaxFieldBytes MaxSampleBytes
type WebDatasetOption interface{ webDatasetOption() }

// Fields are the fields of an example, by file name extension. The first field becomes
// Input, the second Target, and the others Extra. "jpg;png" stands for the first of these
// fields that the sample has. [FieldDecoders] convert the fields' bytes to tensors.
// Without Fields, and with nil, [MapSample] makes the example. If MapSample is missing
// too, Value is the [WebSample]. FieldDecoders, [WithTransform] and the options for
// reading images cause ErrValue without Fields, because they apply to fields. Follows
// to_tuple of webdataset.
type Fields []string

// FieldDecoder converts the bytes of a field to a tensor.
type FieldDecoder func(b []byte) (*torch.Tensor, error)

// FieldDecoders maps the last part of a field's extension, after its last dot, to the
// decoder of the field. FieldDecoders replace these default decoders:
//
//   - images (jpg, jpeg, png, ppm, pgm, bmp, webp and so on) are decoded as by
//     [ImageFolder];
//   - whole numbers (cls, cls2, class, count, index, inx, id) become an int64 of shape ();
//   - NumPy arrays (npy) become tensors of their dtype and shape;
//   - other fields become a uint8 tensor of their bytes.
//
// By default none is replaced. A key that is not the last part of any field in [Fields]
// causes ErrValue. Follows decode of webdataset.
type FieldDecoders map[string]FieldDecoder

// MapSample is a function that converts a sample to an example, for strings, JSON and
// other data that is not a tensor. The example's tensors are freed like those of a
// [Dataset]. Combining MapSample with [Fields] causes ErrValue. The default, and nil, is
// no function. Follows map of webdataset.
type MapSample func(s *WebSample) (Example, error)

// ShardShuffle is the size of a buffer, in names, in which a worker shuffles the names of
// its shards, as [ShuffleBuffer] shuffles samples; shardshuffle in webdataset. The default,
// and 0, keeps the order.
type ShardShuffle int

// SplitByNodeOption is the type of [SplitByNode].
type SplitByNodeOption struct{ rank, worldSize int }

// SplitByNode selects the shards of one process: shard i belongs to rank i % worldSize.
// The default is rank 0 of 1, which reads all shards. A rank outside 0 to worldSize-1
// causes ErrValue. In webdataset it is nodesplitter=split_by_node.
func SplitByNode(rank, worldSize int) SplitByNodeOption { return SplitByNodeOption{rank, worldSize} }

// Handler decides how to continue after an error; handler in webdataset. If it returns
// true, the stream continues without the sample, or without the rest of an unreadable
// shard. If it returns false, the stream ends without an error. The default, and nil, ends
// the stream with the error. All workers call the Handler concurrently.
type Handler func(err error) bool

// EmptyCheck (true) makes it an error if a worker finds no samples, which often means that
// there are fewer shards than workers. The default is true. It is empty_check in
// webdataset.
type EmptyCheck bool

// OpenShard is a function that opens a shard by its name, for example over a network. The
// shard is closed after use. The default, and nil, opens files.
type OpenShard func(name string) (io.ReadCloser, error)

// Decompressors maps suffixes of shard names to functions that decompress the shards,
// such as {".zst": zstd.NewReader} with package torch/data/codecs/zstd. gzip and bzip2
// need no Decompressor, because they are recognized by their first bytes. The default is
// none.
type Decompressors map[string]func(r io.Reader) (io.ReadCloser, error)

// MaxFieldBytes is the largest decompressed size of a file in a shard. The limit is
// needed because a small shard can claim any size. The default is 1 GiB; less than 1
// causes ErrValue.
type MaxFieldBytes int64

// MaxSampleBytes is the largest total size of a sample: the bytes of its files, plus 128
// for each file. The default is 1 GiB; less than 1 causes ErrValue. Between two files
// that belong to samples, a shard may have other bytes, such as files with ignored names:
// at most 1 GiB plus MaxFieldBytes plus MaxSampleBytes.
type MaxSampleBytes int64

const (
	defaultMaxFieldBytes  = 1 << 30
	defaultMaxSampleBytes = 1 << 30
	webFieldCost          = 128
)

// webSettings holds the values of WebDatasetOptions.
type webSettings struct {
	fields        []string
	decoders      map[string]FieldDecoder
	mapSample     func(*WebSample) (Example, error)
	images        imageSettings
	transform     TensorTransform
	shards        int
	rank, world   int
	handler       func(error) bool
	emptyCheck    bool
	open          func(string) (io.ReadCloser, error)
	decompressors map[string]func(io.Reader) (io.ReadCloser, error)
	maxField      int64
	maxSample     int64
	shuffleSettings
}

func readWeb(opts []WebDatasetOption) webSettings {
	const op = "data.NewWebDataset"
	s := webSettings{
		images: newImaging(), world: 1, emptyCheck: true, maxField: defaultMaxFieldBytes,
		maxSample: defaultMaxSampleBytes,
	}
	s.images.Mode = ImageReadModeRGB
	ofFields := "" // an option that needs Fields
	for _, o := range opts {
		switch o := o.(type) {
		case Fields:
			s.fields = slices.Clone(o)
		case FieldDecoders:
			if s.decoders = maps.Clone(o); len(o) > 0 {
				ofFields = "FieldDecoders"
			}
		case MapSample:
			s.mapSample = o
		case TransformOption:
			if s.transform = o.transform; o.transform != nil {
				ofFields = "WithTransform"
			}
		case ShardShuffle:
			s.buffered = true
			if s.shards = int(o); o < 0 {
				panic(torch.NewError(op, torch.ErrValue, "ShardShuffle", fmt.Sprintf("expected 0 or more, got %d", o)))
			}
		case SplitByNodeOption:
			s.rank, s.world = o.rank, o.worldSize
			if o.rank < 0 || o.rank >= o.worldSize {
				panic(torch.NewError(op, torch.ErrValue, "SplitByNode",
					fmt.Sprintf("expected a rank from 0 to worldSize-1, got rank %d of %d", o.rank, o.worldSize)))
			}
		case Handler:
			s.handler = o
		case EmptyCheck:
			s.emptyCheck = bool(o)
		case OpenShard:
			s.open = o
		case Decompressors:
			s.decompressors = maps.Clone(o)
		case MaxFieldBytes:
			s.maxField = mustBePositive(op, "MaxFieldBytes", int64(o))
		case MaxSampleBytes:
			s.maxSample = mustBePositive(op, "MaxSampleBytes", int64(o))
		default:
			if !s.shuffleSettings.read(op, o) {
				s.images.read(op, o)
				ofFields = strings.TrimPrefix(fmt.Sprintf("%T", o), "data.")
			}
		}
	}
	if ofFields != "" && s.fields == nil {
		panic(torch.NewError(op, torch.ErrValue, ofFields, "it applies only to Fields, but there are none"))
	}
	for _, kind := range keys(s.decoders) {
		if !slices.ContainsFunc(s.fields, func(names string) bool {
			return slices.ContainsFunc(strings.Split(names, ";"), func(ext string) bool { return kindOf(ext) == kind })
		}) {
			panic(torch.NewError(op, torch.ErrValue, "FieldDecoders",
				fmt.Sprintf("%q is not the last part of a field's extension; the fields are %q", kind, s.fields)))
		}
	}
	s.mustShuffle(op)
	if s.mapSample != nil && s.fields != nil {
		panic(torch.NewError(op, torch.ErrValue, "MapSample", "cannot be combined with Fields"))
	}
	return s
}
