package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// The comment of the archive has two lines. The first is JSON; the second has the checksum
// of all bytes before this line, and the checksum of the JSON line.

const version = 1

// header is the JSON line. Metrics are strings, because JSON has neither NaN nor infinities.
type header struct {
	Checkpoint int               `json:"checkpoint"` // the version
	Step       int               `json:"step"`
	Metrics    map[string]string `json:"metrics,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	sumsForm  = "crc32c:%08x %08x\n"
	sumsSize  = len("crc32c:00000000 00000000\n")
	mostJSON  = 1 << 15
	endRecord = "PK\x05\x06"
	endSize   = 22 // size of the archive's last record in bytes, without its comment
)

// headerOf returns the JSON line, which includes the newline.
func headerOf(op string, step int, m Metrics) ([]byte, error) {
	h := header{Checkpoint: version, Step: step}
	for name, v := range m {
		if h.Metrics == nil {
			h.Metrics = map[string]string{}
		}
		h.Metrics[name] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, torch.WrapError(op, err)
	}
	if len(line) > mostJSON {
		return nil, torch.NewError(op, torch.ErrValue, "Metrics",
			fmt.Sprintf("the metrics take %d bytes, expected at most %d", len(line), mostJSON))
	}
	return append(line, '\n'), nil
}

// sealer copies an archive that has no comment to w, and adds a comment. It holds back the
// last two bytes, which are the length of the comment.
type sealer struct {
	w    io.Writer
	sum  uint32
	tail []byte
}

// Write implements io.Writer.
func (s *sealer) Write(b []byte) (int, error) {
	const hold = 2
	n := len(b)
	if n < hold {
		b = append(s.tail, b...)
	} else if err := s.put(s.tail); err != nil {
		return 0, err
	}
	cut := max(len(b)-hold, 0)
	if err := s.put(b[:cut]); err != nil {
		return 0, err
	}
	s.tail = slices.Clone(b[cut:])
	return n, nil
}

func (s *sealer) put(b []byte) error {
	s.sum = crc32.Update(s.sum, castagnoli, b)
	_, err := s.w.Write(b)
	return err
}

func (s *sealer) seal(line []byte) error {
	if !bytes.Equal(s.tail, []byte{0, 0}) {
		return errors.New("the archive already has a comment")
	}
	size := uint16(len(line) + sumsSize) //nolint:gosec // headerOf has checked it
	if err := s.put(binary.LittleEndian.AppendUint16(nil, size)); err != nil {
		return err
	}
	if err := s.put(line); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.w, sumsForm, s.sum, crc32.Checksum(line, castagnoli))
	return err
}

// sealContent holds the values in the comment at the end of a checkpoint.
type sealContent struct {
	step    int
	metrics map[string]float64
	sum     uint32 // the checksum of all bytes before the last line
}

// endOf returns the index at which an archive's comment begins in b, the archive's last
// bytes. It returns -1 if it finds no end record.
func endOf(b []byte) int {
	for from := b; ; {
		i := bytes.LastIndex(from, []byte(endRecord))
		if i < 0 {
			return -1
		}
		if at := i + endSize; at <= len(b) && at+int(binary.LittleEndian.Uint16(b[at-2:])) == len(b) {
			return at
		}
		from = from[:i]
	}
}

// unsealedDetail is the error detail for an archive that no Manager wrote.
const unsealedDetail = "the archive lacks the checksums that a checkpoint has; if torch.save wrote the file, " +
	"read it with package torch/serialization or import it with Import"

func readSeal(path string, r io.ReaderAt, size int64) (*sealContent, error) {
	n := min(size, endSize+mostJSON+int64(sumsSize)+1)
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, size-n, n), b); err != nil {
		return nil, readError(path, err)
	}
	at := endOf(b)
	if at < 0 {
		return nil, fileerr.At(fileError(path, torch.ErrTruncated,
			"the last %d bytes do not contain the end of a checkpoint", n), size)
	}
	comment := b[at:]
	if len(comment) < sumsSize {
		return nil, fileerr.At(fileError(path, torch.ErrFormat, unsealedDetail), size)
	}
	line, last := comment[:len(comment)-sumsSize], comment[len(comment)-sumsSize:]
	out := new(sealContent)
	var own uint32
	if _, err := fmt.Sscanf(string(last), sumsForm, &out.sum, &own); err != nil ||
		fmt.Sprintf(sumsForm, out.sum, own) != string(last) {
		return nil, fileerr.At(fileError(path, torch.ErrFormat, unsealedDetail), size)
	}
	if sum := crc32.Checksum(line, castagnoli); sum != own {
		return nil, fileerr.At(fileError(path, torch.ErrFormat, "the checksum of the header is %08x, expected %08x",
			sum, own), size-int64(sumsSize))
	}
	begin := size - int64(len(comment))
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, fileerr.At(fileError(path, torch.ErrFormat, "the header is invalid: %v", err), begin)
	}
	if h.Checkpoint != version {
		return nil, fileerr.At(fileError(path, torch.ErrUnsupported,
			"the file has format version %d; this program supports version %d", h.Checkpoint, version), begin)
	}
	if h.Step < 0 {
		return nil, fileerr.At(fileError(path, torch.ErrFormat, "the step is %d, expected 0 or more", h.Step), begin)
	}
	out.step = h.Step
	for name, text := range h.Metrics {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && !(errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0)) {
			return nil, fileerr.At(fileError(path, torch.ErrFormat, "metric %.40q is not a number: %.40q", name, text),
				begin)
		}
		if out.metrics == nil {
			out.metrics = map[string]float64{}
		}
		out.metrics[name] = v
	}
	return out, nil
}

// verify reads the whole file and verifies its checksums.
func verify(path string, r io.ReaderAt, size int64) (*sealContent, error) {
	s, err := readSeal(path, r, size)
	if err != nil {
		return nil, err
	}
	sum := crc32.New(castagnoli)
	from := bufio.NewReaderSize(io.NewSectionReader(r, 0, size-int64(sumsSize)), 1<<20)
	n, err := from.WriteTo(sum)
	switch {
	case err != nil:
		return nil, readError(path, err)
	case n != size-int64(sumsSize):
		return nil, fileerr.At(fileError(path, torch.ErrTruncated, "only %d of %d bytes could be read", n, size), n)
	case sum.Sum32() != s.sum:
		return nil, fileerr.At(fileError(path, torch.ErrFormat, "the checksum is %08x, expected %08x", sum.Sum32(),
			s.sum), size-int64(sumsSize))
	}
	return s, nil
}
