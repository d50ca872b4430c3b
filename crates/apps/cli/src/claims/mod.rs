//! Claims and beliefs for people.

pub(crate) mod answer;

pub(crate) use counterfoil::internal::claims::{
    access, bulk, dates, refusals, telling, value_of, why,
};
