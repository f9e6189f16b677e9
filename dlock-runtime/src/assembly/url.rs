//! URLs and environment variables: which backend they name. Errors never show a password.

use std::env::VarError;
use std::sync::Arc;

use super::locks::{Locks, LocksBuilder};
use crate::backend::Backend;
use crate::{Error, ErrorKind, Local, Memory};

const FORMS: &str = "`redis://host:port`, `local:/dir` or `memory:`";

/// The backend that a URL names.
pub(super) fn backend(url: &str) -> Result<Arc<dyn Backend>, Error> {
    let Some((scheme, rest)) = url.split_once(':') else {
        return Err(invalid(format!("a store URL starts with its kind: {FORMS}")));
    };
    match scheme {
        "memory" if rest.is_empty() => Ok(Arc::new(Memory::new())),
        "memory" => Err(invalid("`memory:` takes nothing after the colon".to_owned())),
        "local" => Ok(Arc::new(Local::new(directory(rest)?)?)),
        "redis" => redis(url),
        "rediss" | "redis+sentinel" | "redis+cluster" | "postgres" | "postgresql" => {
            Err(invalid(format!("`{scheme}:` is not supported yet: use {FORMS}")))
        }
        other => Err(invalid(format!("no backend is called `{}:`: use {FORMS}", shown(other)))),
    }
}

/// `local:/dir` and `local:///dir` are the same, `local:dir` is relative to the working directory.
fn directory(rest: &str) -> Result<&str, Error> {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() || (rest.starts_with("//") && !path.starts_with('/')) {
        return Err(invalid("`local:` needs a directory: write `local:/dir` or `local:///dir`".to_owned()));
    }
    Ok(path)
}

#[cfg(feature = "redis")]
fn redis(url: &str) -> Result<Arc<dyn Backend>, Error> {
    Ok(Arc::new(crate::Redis::from_url(url)?))
}

#[cfg(not(feature = "redis"))]
fn redis(_url: &str) -> Result<Arc<dyn Backend>, Error> {
    Err(invalid("`redis:` needs the feature `redis` of dlock-runtime".to_owned()))
}

/// What may be shown of a scheme: it might be a mistyped secret.
fn shown(scheme: &str) -> &str {
    let harmless =
        scheme.len() <= 32 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if harmless { scheme } else { "…" }
}

pub(crate) fn invalid(why: String) -> Error {
    Error::new(ErrorKind::InvalidUrl, why)
}

/// `DLOCK_URL`, `DLOCK_NAMESPACE` and `DLOCK_HOLDER`, read through `variable`.
pub(super) fn from_variables(variable: impl Fn(&str) -> Result<String, VarError>) -> Result<Locks, Error> {
    let read = |name: &str| match variable(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(invalid(format!("{name} is not valid Unicode"))),
    };
    let Some(url) = read("DLOCK_URL")? else {
        return Err(invalid(format!("DLOCK_URL is not set: set it to {FORMS}")));
    };
    let backend = backend(&url).map_err(|error| error.naming("DLOCK_URL"))?;
    let mut builder = LocksBuilder::new(backend);
    if let Some(namespace) = read("DLOCK_NAMESPACE")? {
        builder = builder.namespace(namespace);
    }
    if let Some(holder) = read("DLOCK_HOLDER")? {
        builder = builder.holder(holder);
    }
    Ok(builder.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(url: Option<&'static str>) -> impl Fn(&str) -> Result<String, VarError> {
        move |name| match (name, url) {
            ("DLOCK_URL", Some(url)) => Ok(url.to_owned()),
            ("DLOCK_NAMESPACE", _) => Ok("ns".to_owned()),
            _ => Err(VarError::NotPresent),
        }
    }

    #[test]
    fn the_environment_names_backend_and_namespace() {
        let locks = from_variables(environment(Some("memory:"))).expect("usable");
        let shown = format!("{locks:?}");
        assert!(shown.contains("memory") && shown.contains("ns"), "{shown}");
    }

    #[test]
    fn a_bad_url_in_the_environment_is_an_error_that_names_the_variable() {
        for url in [
            None,
            Some(""),
            Some("memory"),
            Some("memory:x"),
            Some("ftp://x"),
            Some("local:"),
            Some("local://x"),
        ] {
            let error = from_variables(environment(url)).expect_err("refused");
            assert_eq!(error.kind(), ErrorKind::InvalidUrl);
            assert!(error.to_string().contains("DLOCK_URL"), "{error}");
        }
    }

    #[test]
    fn a_password_in_a_url_shows_up_in_no_error() {
        for url in [
            "redis://u:hunter2@",
            "redis://u:hunter2@host:notaport/",
            "hunter2@x:redis",
            "rediss://:hunter2@h",
            "redis://:hunter2@h:1/x",
        ] {
            let error = Locks::from_url(url).expect_err(url);
            let shown =
                format!("{error} {error:?} {:?}", std::error::Error::source(&error).map(ToString::to_string));
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }
}
