// Package tensorboard writes event files for TensorBoard. It follows Python's
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
// To view them, run the program that "pip install tensorboard" installs:
//
//	tensorboard --logdir runs
//
// The package supports scalars, histograms, images, text and hyperparameters. It does not
// support graphs, audio, video, embeddings, meshes or precision-recall curves.
//
// # Files
//
// A writer creates one file, events.out.tfevents.TIME.HOST.PROCESS.NUMBER, in its
// directory. It buffers events and appends them as whole records: after ten events
// ([MaxQueue]), two minutes after the first of them ([FlushSecs]), on
// [SummaryWriter.Flush] and on [SummaryWriter.Close]. A process that is killed loses its
// buffered events; the file stays readable. A write that fails half way, for example on a
// full disk, is undone, and later events follow.
//
// # Errors
//
// Methods return errors, so that a failed plot does not end a long training run. The
// error is an error of the file system, or a *[torch.Error] for an invalid argument or,
// of kind ErrNil, for a nil writer. Only a nil option panics, with ErrNil.
package tensorboard
