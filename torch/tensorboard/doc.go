// Package tensorboard writes event files that TensorBoard shows. It follows Python's
// torch.utils.tensorboard:
//
//	w, err := tensorboard.NewSummaryWriter("runs/first")
//	if err != nil {
//		return err
//	}
//	defer w.Close()
//	for step := range steps {
//		...
//		if err := w.AddScalar("loss/train", loss.Item(), step); err != nil {
//			return err
//		}
//	}
//
// and then, with the program that "pip install tensorboard" brings:
//
//	tensorboard --logdir runs
//
// It has scalars, histograms, images, text and hyperparameters. Graphs, audio, video,
// embeddings, meshes and curves of precision and recall are not there.
//
// # Files
//
// A writer makes one file, events.out.tfevents.TIME.HOST.PROCESS.NUMBER, in its folder. It
// gathers events and appends them in whole records: after ten events ([MaxQueue]), two
// minutes after the first of them ([FlushSecs]), at [SummaryWriter.Flush] and at
// [SummaryWriter.Close]. A process that is killed loses what it had gathered and leaves a
// file that TensorBoard reads. A write that fails half way, as on a full disk, is taken
// back, and the file goes on with the next one.
//
// # Errors
//
// What goes wrong is returned, so that a picture which cannot be drawn does not end a
// training of ten hours: an error of the file system, or a *[torch.Error] for a mistake in
// an argument, of kind ErrNil for a writer that is nil. Only an option that is nil panics,
// with ErrNil.
//
// The format is written here, since the writers that exist for Go are bound to
// TensorFlow's library or have not been kept for years. TensorBoard's own reader reads it in
// the tests.
package tensorboard
