//! The canvas: the few shapes that the picture is made of, as SVG elements.

use std::fmt::Write as _;

pub(crate) const INK: &str = "#1f2933";
pub(crate) const PALE: &str = "#66717e";
pub(crate) const LINE: &str = "#c9d0d8";
pub(crate) const GRID: &str = "#e3e8ed";
pub(crate) const RUN: &str = "#2b6cb0";
pub(crate) const TAKEOVER: &str = "#c2620a";
pub(crate) const KILL: &str = "#c81e1e";
pub(crate) const BAR_HEIGHT: f64 = 24.0;

/// How a text looks.
#[derive(Clone, Copy)]
#[must_use]
pub(crate) struct Style {
    size: u32,
    color: &'static str,
    anchor: &'static str,
    weight: &'static str,
}

impl Style {
    pub(crate) const PLAIN: Self = Self { size: 12, color: INK, anchor: "start", weight: "normal" };
    pub(crate) const BOLD: Self = Self { weight: "bold", ..Self::PLAIN };
    pub(crate) const MIDDLE: Self = Self { anchor: "middle", ..Self::PLAIN };
    pub(crate) const END: Self = Self { anchor: "end", ..Self::PLAIN };

    pub(crate) const fn size(self, size: u32) -> Self {
        Self { size, ..self }
    }

    pub(crate) const fn color(self, color: &'static str) -> Self {
        Self { color, ..self }
    }

    pub(crate) const fn bold(self) -> Self {
        Self { weight: "bold", ..self }
    }
}

/// An SVG in the making.
pub(crate) struct Canvas(String);

impl Canvas {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        const FONTS: &str = "DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif";
        let mut canvas = Self(format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{FONTS}">"#
        ));
        canvas.put(format_args!(r##"rect width="100%" height="100%" fill="#ffffff""##));
        canvas
    }

    pub(crate) fn finish(self) -> String {
        self.0 + "\n</svg>\n"
    }

    /// An element, such as `line x1="1"`.
    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing into a String does not fail.
        let _ = write!(self.0, "\n<{element}/>");
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, style: Style, content: &str) {
        let Style { size, color, anchor, weight } = style;
        let content = content.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(
            self.0,
            "\n<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{color}\" text-anchor=\"{anchor}\" \
             font-weight=\"{weight}\">{content}</text>"
        );
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, width: u32) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.put(format_args!(
            r#"line x1="{x1:.1}" x2="{x2:.1}" y1="{y1:.1}" y2="{y2:.1}" stroke="{color}" stroke-width="{width}""#
        ));
    }

    /// A run: from `x` on, centered on `y`.
    pub(crate) fn bar(&mut self, x: f64, y: f64, width: f64, color: &str) {
        let top = y - BAR_HEIGHT / 2.0;
        self.put(format_args!(
            r#"rect x="{x:.1}" y="{top:.1}" width="{width:.1}" height="{BAR_HEIGHT}" rx="2" fill="{color}""#
        ));
    }

    /// A small circle around the point.
    pub(crate) fn skip_mark(&mut self, x: f64, y: f64) {
        self.put(format_args!(
            r##"circle cx="{x:.1}" cy="{y:.1}" r="4" fill="#ffffff" stroke="{PALE}" stroke-width="1.5""##
        ));
    }

    /// A cross right of the point.
    pub(crate) fn kill_mark(&mut self, x: f64, y: f64) {
        let (left, top) = (x + 4.0, y - 6.0);
        self.put(format_args!(
            r#"path d="M{left:.1} {top:.1}l12 12m0 -12l-12 12" stroke="{KILL}" stroke-width="3.5" stroke-linecap="round""#
        ));
    }
}
