// Package arrow reads the columns of Parquet and Arrow files as tensors, as a
// [data.Table] or as a stream of rows for files larger than memory.
//
//	table, err := arrow.ReadTable("train.parquet", arrow.Columns{"age", "income", "label"})
//	if err != nil {
//		return err
//	}
//	defer table.Close()
//	train := table.Dataset("label")
//
// The kind of a file is known by its first bytes: Parquet, Arrow IPC (Feather 2) with its
// footer or as a stream. A column of numbers becomes a tensor of its dtype, dates and
// times one of int64 in the file's unit, and lists of one length a tensor of two
// dimensions. Texts are refused.
//
// Damaged files are errors, with one exception: arrow-go trusts the metadata of Arrow's
// own formats, so a damaged or hostile schema of an IPC file may make it ask for more
// memory than there is, which ends a Go program. Parquet has no such place.
package arrow
