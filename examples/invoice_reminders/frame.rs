//! The frame of the picture: title, grid and legend.

use crate::canvas::{GRID, KILL, PALE, RUN, Style, TAKEOVER};
use crate::plan::TICK;
use crate::svg::{LEFT, Picture, TOP};

impl Picture<'_> {
    pub(crate) fn title(&mut self, heading: &str, about: &str) {
        self.canvas.text(20.0, 34.0, Style::BOLD.size(20), heading);
        self.canvas.text(20.0, 58.0, Style::PLAIN.size(13).color(PALE), about);
    }

    pub(crate) fn grid(&mut self) {
        let (width, bottom) = (self.tick_width(), self.bottom);
        // Labels closer than this would run into each other.
        let every = if width < 45.0 { 4_u32 } else { 1 };
        self.canvas.text(LEFT - 14.0, TOP - 12.0, Style::END.color(PALE), "tick");
        for tick in 0..=self.ticks {
            let x = LEFT + f64::from(tick) * width;
            self.canvas.line((x, TOP), (x, bottom), GRID, 1);
            if !tick.is_multiple_of(every) {
                continue;
            }
            if tick < self.ticks {
                let style = Style::MIDDLE.bold();
                self.canvas.text(x, TOP - 12.0, style, &(tick + 1).to_string());
            }
            let seconds = format!("{:.1} s", f64::from(tick) * TICK.as_secs_f64());
            self.canvas.text(x, bottom + 18.0, Style::MIDDLE.size(11).color(PALE), &seconds);
        }
    }

    pub(crate) fn legend(&mut self, y: f64) {
        let mut x = LEFT;
        for (meaning, color, width) in [
            ("ran (number: mails sent)", RUN, 240.0),
            ("took over", TAKEOVER, 150.0),
            ("got None: skipped", PALE, 190.0),
            ("killed in the middle of a run", KILL, 240.0),
        ] {
            match color {
                PALE => self.canvas.skip_mark(x + 14.0, y),
                KILL => self.canvas.kill_mark(x + 4.0, y),
                color => self.canvas.bar(x, y, 24.0, color),
            }
            self.canvas.text(x + 32.0, y + 4.0, Style::PLAIN, meaning);
            x += width;
        }
    }
}
