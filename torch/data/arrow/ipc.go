package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// continued is the marker that comes before each message.
const continued = "\xff\xff\xff\xff"

// ipcMagic is at the end of a file that has a footer.
const ipcMagic = "ARROW1"

// maxMetadata is the limit on the length of a message's metadata in bytes.
const maxMetadata = 64 << 20

func ipcFile(f *os.File, mem *allocator) (*source, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file := ipcMessages{f, info.Size(), mem}
	batches, err := file.footer()
	if err != nil {
		return nil, err
	}
	r, err := ipc.NewFileReader(f, ipc.WithAllocator(mem), ipc.WithBodySizeLimit(0))
	if err != nil {
		return nil, err
	}
	batch := func(i int, columns []int, skip bool) ([][]arrow.Array, func(), error) {
		if i >= len(batches) {
			return nil, nil, io.EOF
		}
		if skip {
			return nil, func() {}, nil
		}
		if err := file.block(batches[i], headerBatch); err != nil {
			return nil, nil, err
		}
		b, err := r.RecordBatchAt(i)
		if err != nil {
			return nil, nil, err
		}
		chunks, err := chosen(b, columns)
		if err != nil {
			b.Release()
			return nil, nil, err
		}
		return chunks, b.Release, nil
	}
	return &source{"", r.Schema(), batch, func() { _, _ = r.Close(), f.Close() }, mem}, nil
}

func chosen(b arrow.RecordBatch, columns []int) ([][]arrow.Array, error) {
	out := make([][]arrow.Array, len(columns))
	for k, c := range columns {
		out[k] = []arrow.Array{b.Column(c)}
		if n := b.Column(c).Len(); int64(n) != b.NumRows() { // arrow-go refuses only shorter columns
			return nil, fmt.Errorf("a batch has %d rows, but a column has %d", b.NumRows(), n)
		}
	}
	return out, nil
}

func ipcStream(f *os.File, mem *allocator) (*source, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	messages := &ipcReader{file: ipcMessages{f, info.Size(), mem}}
	r, err := ipc.NewReaderFromMessageReader(messages, ipc.WithAllocator(mem))
	if err != nil {
		return nil, err
	}
	batch := func(_ int, columns []int, skip bool) ([][]arrow.Array, func(), error) {
		if !r.Next() {
			if err := r.Err(); err != nil {
				return nil, nil, err
			}
			return nil, nil, io.EOF
		}
		if skip {
			return nil, func() {}, nil
		}
		chunks, err := chosen(r.RecordBatch(), columns)
		return chunks, func() {}, err
	}
	return &source{"", r.Schema(), batch, func() { r.Release(); _ = f.Close() }, mem}, nil
}

// ipcMessages checks the messages of a file before arrow-go reads them.
type ipcMessages struct {
	r    io.ReaderAt
	size int64
	mem  *allocator
}

// bytes reads n bytes of metadata at offset. It returns an error if the file is too short.
func (m ipcMessages) bytes(offset, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || offset > m.size-n {
		return nil, fmt.Errorf("%d bytes at offset %d do not fit in a file of %d bytes: %w", n, offset, m.size,
			io.ErrUnexpectedEOF)
	}
	if n > maxMetadata {
		return nil, fmt.Errorf("the metadata takes %d bytes, expected at most %d", n, maxMetadata)
	}
	b := make([]byte, n)
	if _, err := m.r.ReadAt(b, offset); err != nil {
		return nil, early(err)
	}
	return b, nil
}

// early returns the error for a file that has become shorter. An io.EOF would look like the
// end of the batches.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// block is the location of a message and the lengths of its two parts, as the footer states
// them.
type block struct{ offset, metadata, body int64 }

// footer checks the footer and the dictionaries that it lists, and returns the locations
// of the batches.
func (m ipcMessages) footer() ([]block, error) {
	end, err := m.bytes(m.size-10, 10)
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(end, []byte(ipcMagic)) {
		return nil, fmt.Errorf("%q is missing at the end: %w", ipcMagic, io.ErrUnexpectedEOF)
	}
	n := int64(binary.LittleEndian.Uint32(end))
	b, err := m.bytes(m.size-10-n, n)
	if err != nil {
		return nil, err
	}
	f := flatbuffer{b, 2 * int64(len(b))}
	root, err := f.root()
	if err == nil {
		err = f.table(root, tableFooter, 0)
	}
	if err != nil {
		return nil, err
	}
	dictionaries, err := f.blocks(root, 2)
	if err != nil {
		return nil, err
	}
	batches, err := f.blocks(root, 3)
	if err != nil {
		return nil, err
	}
	var all []extent
	for _, b := range slices.Concat(dictionaries, batches) {
		all = append(all, extent{b.offset, b.metadata + b.body})
	}
	if err := distinct(all); err != nil {
		return nil, err
	}
	for _, b := range dictionaries {
		if err := m.block(b, headerDictionary); err != nil {
			return nil, err
		}
	}
	return batches, nil
}

// blocks reads a vector of message locations in a footer.
func (f *flatbuffer) blocks(root int64, slot int) (out []block, err error) {
	start, n, err := f.vector(root, slot)
	if err != nil {
		return nil, err
	}
	for i := range n {
		b, err := f.at(start+i*blockSize, blockSize)
		if err != nil {
			return nil, err
		}
		out = append(out, block{
			int64(binary.LittleEndian.Uint64(b)),            //nolint:gosec // a signed number
			int64(int32(binary.LittleEndian.Uint32(b[8:]))), //nolint:gosec // a signed number
			int64(binary.LittleEndian.Uint64(b[16:])),       //nolint:gosec // a signed number
		})
	}
	return out, nil
}

// block checks the message at a location from the footer.
func (m ipcMessages) block(at block, kind byte) error {
	b, err := m.bytes(at.offset, at.metadata)
	if err != nil {
		return err
	}
	prefix := 4
	if bytes.HasPrefix(b, []byte(continued)) {
		prefix = 8
	}
	if len(b) < prefix {
		return errMetadata
	}
	_, packed, err := message(b[prefix:], kind)
	if err != nil {
		return err
	}
	return m.windows(packed, at.offset+at.metadata, at.body)
}

// message checks the metadata of a message. It returns the length of the message's body,
// and the locations of the Zstandard-compressed buffers in the body. kind is the expected
// kind, or 0 for any.
func message(b []byte, kind byte) (body int64, packed []extent, err error) {
	f := flatbuffer{b, 2 * int64(len(b))}
	root, err := f.root()
	if err == nil {
		err = f.table(root, tableMessage, 0)
	}
	if err != nil {
		return 0, nil, err
	}
	header, err := f.slot(root, 1)
	if err != nil {
		return 0, nil, err
	}
	var got byte
	if header > 0 {
		got = b[header]
	}
	if got == 0 || kind != 0 && got != kind {
		return 0, nil, fmt.Errorf("the message has kind %d, expected kind %d", got, kind)
	}
	at, err := f.slot(root, 3)
	if err == nil && at > 0 {
		var n []byte
		if n, err = f.at(at, 8); err == nil {
			body = int64(binary.LittleEndian.Uint64(n)) //nolint:gosec // a signed number
		}
	}
	if err != nil || got == headerSchema {
		return body, nil, err
	}
	batch, err := f.inner(root, 2)
	if err == nil && got == headerDictionary {
		batch, err = f.inner(batch, 1)
	}
	if err == nil {
		packed, err = f.batch(batch)
	}
	return body, packed, err
}

// dictionaryOf returns the number of the dictionary in a message that method message has checked, and
// whether the message adds words to it. ok is false for a message without a dictionary.
func dictionaryOf(b []byte) (id int64, delta, ok bool) {
	f := flatbuffer{b: b}
	root, err := f.root()
	if err != nil {
		return 0, false, false
	}
	if kind, err := f.slot(root, 1); err != nil || kind == 0 || b[kind] != headerDictionary {
		return 0, false, false
	}
	at, err := f.inner(root, 2)
	if err != nil {
		return 0, false, false
	}
	if place, err := f.slot(at, 0); err == nil && place > 0 {
		if number, err := f.at(place, 8); err == nil {
			id = int64(binary.LittleEndian.Uint64(number)) //nolint:gosec // a signed number
		}
	}
	if place, err := f.slot(at, 2); err == nil && place > 0 {
		if flag, err := f.at(place, 1); err == nil {
			delta = flag[0] != 0
		}
	}
	return id, delta, true
}

// inner returns the position of the table in slot k of the table at pos. It returns an error if
// the slot is absent.
func (f *flatbuffer) inner(pos int64, k int) (int64, error) {
	at, err := f.slot(pos, k)
	if err != nil || at == 0 {
		return 0, errors.Join(errMetadata, err)
	}
	offset, err := f.number(at, 4)
	return at + offset, err
}

// batch checks the lengths in a RecordBatch, because arrow-go allocates memory for them.
// It returns the locations of the Zstandard-compressed buffers.
func (f *flatbuffer) batch(pos int64) (packed []extent, err error) {
	first, buffers, err := f.vector(pos, 2)
	if err != nil {
		return nil, err
	}
	start, n, err := f.vector(pos, 4)
	if err != nil {
		return nil, err
	}
	for i := range n {
		b, err := f.at(start+8*i, 8)
		if err != nil {
			return nil, err
		}
		views := int64(binary.LittleEndian.Uint64(b)) //nolint:gosec // a signed number
		if views < 0 || views > buffers {
			return nil, fmt.Errorf("a column has %d buffers, but its batch has %d", views, buffers)
		}
	}
	compression, err := f.slot(pos, 3)
	if err != nil || compression == 0 {
		return nil, err
	}
	table, err := f.inner(pos, 3)
	if err != nil {
		return nil, err
	}
	codec, err := f.slot(table, 0)
	if err != nil || codec == 0 {
		return nil, err // LZ4
	}
	b, err := f.at(codec, 1)
	if err != nil || b[0] > 1 {
		return nil, errors.Join(errors.New("expected LZ4 or Zstandard compression"), err)
	}
	for i := range buffers {
		at, err := f.at(first+i*bufferSize, bufferSize)
		if err != nil {
			return nil, err
		}
		if b[0] == 1 {
			packed = append(packed, extent{
				int64(binary.LittleEndian.Uint64(at)),     //nolint:gosec // a signed number
				int64(binary.LittleEndian.Uint64(at[8:])), //nolint:gosec // a signed number
			})
		}
	}
	return packed, nil
}

// ipcReader is an [ipc.MessageReader] that reads the messages of a stream and checks their
// metadata.
type ipcReader struct {
	file ipcMessages
	at   int64
	last *ipc.Message
}

// Message implements [ipc.MessageReader]. The message is valid until the next call.
func (r *ipcReader) Message() (*ipc.Message, error) {
	r.Release()
	r.file.mem.dictionaryEnd()
	if r.at == r.file.size { // the end marker may be missing
		return nil, io.EOF
	}
	head, err := r.file.bytes(r.at, 4)
	if err != nil {
		return nil, err
	}
	r.at += 4
	if string(head) == continued {
		if head, err = r.file.bytes(r.at, 4); err != nil {
			return nil, err
		}
		r.at += 4
	}
	n := int64(binary.LittleEndian.Uint32(head))
	if n == 0 {
		return nil, io.EOF
	}
	b, err := r.file.bytes(r.at, n)
	if err != nil {
		return nil, err
	}
	size, packed, err := message(b, 0)
	if err != nil {
		return nil, err
	}
	r.at += n
	if size < 0 || size > r.file.size-r.at {
		return nil, fmt.Errorf("%d bytes at offset %d do not fit in a file of %d bytes: %w", size, r.at, r.file.size,
			io.ErrUnexpectedEOF)
	}
	if err := r.file.windows(packed, r.at, size); err != nil {
		return nil, err
	}
	if id, delta, ok := dictionaryOf(b); ok {
		r.file.mem.dictionaryBegin(id, delta)
	}
	meta, body := memory.NewBufferBytes(b), memory.NewResizableBuffer(r.file.mem)
	defer body.Release()
	body.Resize(int(size))
	if _, err := r.file.r.ReadAt(body.Bytes(), r.at); err != nil && size > 0 {
		return nil, early(err)
	}
	r.at += size
	r.last = ipc.NewMessage(meta, body)
	return r.last, nil
}

// Retain implements [ipc.MessageReader].
func (*ipcReader) Retain() {}

// Release implements [ipc.MessageReader].
func (r *ipcReader) Release() {
	if r.last != nil {
		r.last.Release()
		r.last = nil
	}
}
