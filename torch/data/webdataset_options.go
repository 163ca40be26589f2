package data

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// A WebDatasetOption is an argument of [NewWebDataset] that Python takes by keyword or
// as a step of the pipeline: [Fields], [FieldDecoders], [MapSample], [ImageReadMode],
// [ApplyEXIFOrientation], [Decoder], [MaxPixels], [WithTransform], [ShardShuffle],
// [ShuffleBuffer], [Generator], [SplitByNode], [Handler], [EmptyCheck], [OpenShard],
// [Decompressors], [MaxFieldBytes] or [MaxSampleBytes].
//
//gotorch:options Fields FieldDecoders MapSample ImageReadMode ApplyEXIFOrientation Decoder MaxPixels
//gotorch:options TransformOption ShardShuffle ShuffleBuffer GeneratorOption SplitByNodeOption Handler
//gotorch:options EmptyCheck OpenShard Decompressors MaxFieldBytes MaxSampleBytes
type WebDatasetOption interface{ webDatasetOption() }

// Fields are what an example is made of, by the ends of the names of the files: the
// first becomes Input, the second Target, the others Extra. "jpg;png" takes the first of
// these that the sample has. Bytes become tensors by [FieldDecoders]. The default, and
// nil, leaves all to [MapSample]; without that either, Value is the [WebSample]. Follows
// to_tuple of webdataset.
type Fields []string

// FieldDecoder makes a tensor of the bytes of a field.
type FieldDecoder func(b []byte) (*torch.Tensor, error)

// FieldDecoders decode fields by the end of the name, after its last dot, in place of
// what is done by default: images (jpg, jpeg, png, ppm, pgm, bmp, webp and so on) are
// decoded as [ImageFolder] does, whole numbers (cls, cls2, class, count, index, inx, id)
// become an int64 without dimensions, NumPy's arrays (npy) tensors of their dtype and
// shape, and others a uint8 tensor of their bytes. The default adds none. Follows decode of
// webdataset.
type FieldDecoders map[string]FieldDecoder

// MapSample makes an example of a sample: for texts, JSON and what else is no tensor.
// Its tensors are freed as those of a [Dataset] are. With [Fields] it is ErrValue. The
// default, and nil, is none. Follows map of webdataset.
type MapSample func(s *WebSample) (Example, error)

// ShardShuffle is the size of the buffer that the names of a worker's shards are shuffled
// in, as [ShuffleBuffer] does with samples; shardshuffle in webdataset. The default, and
// 0, keeps the order.
type ShardShuffle int

// SplitByNodeOption is what [SplitByNode] returns.
type SplitByNodeOption struct{ rank, worldSize int }

// SplitByNode gives process rank of worldSize its share of the shards, those i with
// i % worldSize = rank; nodesplitter=split_by_node in webdataset. The default is 0 of 1,
// all. A rank that is not from 0 to worldSize-1 is ErrValue.
func SplitByNode(rank, worldSize int) SplitByNodeOption { return SplitByNodeOption{rank, worldSize} }

// Handler is asked about an error: true goes on without the sample, or without the rest
// of the shard if that cannot be read, and false ends the stream as if it were over;
// handler in webdataset. The default, and nil, ends it with the error. Each worker calls
// it.
type Handler func(err error) bool

// EmptyCheck makes a worker that finds no sample an error, which too few shards are often
// the reason of; empty_check in webdataset. The default is true.
type EmptyCheck bool

// OpenShard opens a shard by its name, over a network for example; it is closed after
// use. The default, and nil, opens files.
type OpenShard func(name string) (io.ReadCloser, error)

// Decompressors unpack shards by the end of their names: {".zst": zstd.NewReader} with
// the package of torch/data/codecs. gzip and bzip2 are known by their first bytes and
// need none. The default is none.
type Decompressors map[string]func(r io.Reader) (io.ReadCloser, error)

// MaxFieldBytes is how large a file of a shard may be unpacked, since a small shard can
// claim any size. The default is 1 GiB; less than 1 is ErrValue.
type MaxFieldBytes int64

// MaxSampleBytes is how much the files of a sample may take together: their bytes, and 128 more
// for each. The default is 1 GiB; less than 1 is ErrValue.
type MaxSampleBytes int64

const (
	defaultMaxFieldBytes  = 1 << 30
	defaultMaxSampleBytes = 1 << 30
	webFieldCost          = 128
)

// webSettings is a list of WebDatasetOptions, read.
type webSettings struct {
	fields        []string
	decoders      map[string]FieldDecoder
	mapSample     func(*WebSample) (Example, error)
	images        imaging
	transform     TensorTransform
	shards        int
	rank, world   int
	handler       func(error) bool
	emptyCheck    bool
	open          func(string) (io.ReadCloser, error)
	decompressors map[string]func(io.Reader) (io.ReadCloser, error)
	maxField      int64
	maxSample     int64
	shuffling
}

func readWeb(opts []WebDatasetOption) webSettings {
	const op = "data.NewWebDataset"
	s := webSettings{images: newImaging(), world: 1, emptyCheck: true, maxField: defaultMaxFieldBytes, maxSample: defaultMaxSampleBytes}
	s.images.Mode = ImageReadModeRGB
	for _, o := range opts {
		switch o := o.(type) {
		case Fields:
			s.fields = slices.Clone(o)
		case FieldDecoders:
			s.decoders = maps.Clone(o)
		case MapSample:
			s.mapSample = o
		case TransformOption:
			s.transform = o.transform
		case ShardShuffle:
			if s.shards = int(o); o < 0 {
				panic(torch.NewError(op, torch.ErrValue, "ShardShuffle", fmt.Sprintf("expected 0 or more, got %d", o)))
			}
		case SplitByNodeOption:
			s.rank, s.world = o.rank, o.worldSize
			if o.rank < 0 || o.rank >= o.worldSize {
				panic(torch.NewError(op, torch.ErrValue, "SplitByNode", fmt.Sprintf("rank %d of %d", o.rank, o.worldSize)))
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
			s.maxField = positive(op, "MaxFieldBytes", int64(o))
		case MaxSampleBytes:
			s.maxSample = positive(op, "MaxSampleBytes", int64(o))
		default:
			if !s.shuffling.read(op, o) {
				s.images.read(op, o)
			}
		}
	}
	if s.mapSample != nil && s.fields != nil {
		panic(torch.NewError(op, torch.ErrValue, "MapSample", "excludes Fields"))
	}
	return s
}
