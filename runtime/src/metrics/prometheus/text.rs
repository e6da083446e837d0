//! Encoder of Prometheus' text format, version 0.0.4.

use std::fmt::{Display, Write};
use std::iter;

use super::family::{AtomicHistogram, Family, TimeSeries};
use crate::metrics::MetricKind;

/// Writes a metric: `HELP` and `TYPE`, then its samples.
pub(super) fn write_family(text: &mut String, family: &Family) {
    let metric = family.metric;
    let kind = match metric.kind {
        MetricKind::Counter => "counter",
        MetricKind::Gauge => "gauge",
        MetricKind::Histogram(_) => "histogram",
    };
    let help = metric.help.replace('\\', r"\\").replace('\n', r"\n");
    append(
        text,
        format_args!(
            "# HELP {} {help}\n# TYPE {} {kind}\n",
            metric.name, metric.name
        ),
    );
    for (values, series) in &family.series {
        let labels = format_labels(iter::zip(
            metric.labels.iter().copied(),
            values.iter().map(String::as_str),
        ));
        match series {
            TimeSeries::Counter(counter) => {
                write_sample(text, metric.name, "", &labels, counter.value())
            }
            TimeSeries::Gauge(gauge) => {
                write_sample(text, metric.name, "", &labels, format_number(gauge.value()))
            }
            TimeSeries::Histogram(values) => write_histogram(text, metric.name, &labels, values),
        }
    }
}

fn write_histogram(text: &mut String, name: &str, labels: &str, histogram: &AtomicHistogram) {
    // `_count` has to equal the last bucket. A separate counter could differ while values are
    // recorded, so the value of the last bucket is used.
    let mut count = 0;
    for (bound, values) in histogram.cumulative_counts() {
        let bound = format_labels([("le", format_number(bound).as_str())]);
        let comma = if labels.is_empty() { "" } else { "," };
        write_sample(
            text,
            name,
            "_bucket",
            &format!("{labels}{comma}{bound}"),
            values,
        );
        count = values;
    }
    write_sample(text, name, "_sum", labels, format_number(histogram.sum()));
    write_sample(text, name, "_count", labels, count);
}

fn write_sample(text: &mut String, name: &str, suffix: &str, labels: &str, value: impl Display) {
    if labels.is_empty() {
        append(text, format_args!("{name}{suffix} {value}\n"));
    } else {
        append(text, format_args!("{name}{suffix}{{{labels}}} {value}\n"));
    }
}

fn format_labels<'a>(labels: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let labels = labels.into_iter().map(|(name, value)| {
        let value = value
            .replace('\\', r"\\")
            .replace('"', "\\\"")
            .replace('\n', r"\n");
        format!("{name}=\"{value}\"")
    });
    labels.collect::<Vec<_>>().join(",")
}

/// Formats a number as Go's `%g`: with the fewest digits that parse to the same number. Very small
/// and large numbers have an exponent of at least two digits.
pub(super) fn format_number(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let exponent = scientific
        .split_once('e')
        .and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?)));
    match exponent {
        Some((digits, exponent)) if !(-4..6).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => value.to_string(),
    }
}

/// Appends to `text`. Writing to a string cannot fail.
fn append(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(line);
}
