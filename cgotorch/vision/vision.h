// Calls the operators of torchvision. See ../abi.h for the rules. The names and the order
// of the arguments are those of the operators' schemas in library.cpp.
#ifndef GOTORCH_VISION_H
#define GOTORCH_VISION_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers the operators that are not registered yet. Called once.
uintptr_t gt_vision_register(void);

// Before a library is loaded, gt_vision_withdraw takes back the schemas that this package
// has registered, because a library that registers the same operators would otherwise end
// the process. gt_vision_restore registers those again that the library has not. The
// kernels stay registered, so handles of the operators stay valid. Both do nothing if the
// package has registered nothing.
void gt_vision_withdraw(void);
void gt_vision_restore(void);

gt_ret gt_vision_nms(gt_ctx cx, gt_tensor dets, gt_tensor scores, double iou_threshold);
gt_ret gt_vision_roi_align(gt_ctx cx, gt_tensor input, gt_tensor rois, double spatial_scale, int64_t pooled_height,
                           int64_t pooled_width, int64_t sampling_ratio, int8_t aligned);
// The next three return only the first result of their operators.
gt_ret gt_vision_roi_pool(gt_ctx cx, gt_tensor input, gt_tensor rois, double spatial_scale, int64_t pooled_height,
                          int64_t pooled_width);
gt_ret gt_vision_ps_roi_align(gt_ctx cx, gt_tensor input, gt_tensor rois, double spatial_scale, int64_t pooled_height,
                              int64_t pooled_width, int64_t sampling_ratio);
gt_ret gt_vision_ps_roi_pool(gt_ctx cx, gt_tensor input, gt_tensor rois, double spatial_scale, int64_t pooled_height,
                             int64_t pooled_width);

// numbers contains stride, padding and dilation, each for height and width, then the
// numbers of weight groups and offset groups. mask and bias may be 0.
gt_ret gt_vision_deform_conv2d(gt_ctx cx, gt_tensor input, gt_tensor weight, gt_tensor offset, gt_tensor mask,
                               gt_tensor bias, const int64_t* numbers);

#ifdef __cplusplus
}
#endif
#endif
