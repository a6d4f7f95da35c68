package app

import (
	"log/slog"
	"time"

	"plat/cmd/plat/settings"
	"plat/segment"
	"plat/workers/segmenter"
)

// Segmenter returns a segmenter by settings, with at most tabs tabs; 0 takes the number from the settings. Its browser
// starts with the first page, and ends after idle without one, unless that is 0. No page reaches the ports of this
// machine that are given. Close it.
func Segmenter(s *settings.Settings, log *slog.Logger, tabs int, idle time.Duration, forbid ...uint16) (*segmenter.Segmenter, error) {
	if err := s.CheckCut(); err != nil {
		return nil, err
	}
	o, err := s.RenderOptions(tabs, log)
	if err != nil {
		return nil, err
	}
	return segmenter.New(segmenter.Options{
		Render: o, Segmentation: segment.Params{Profile: segment.Profile(s.Profile), Level: s.Level}, Forbid: forbid, Idle: idle,
	}), nil
}
