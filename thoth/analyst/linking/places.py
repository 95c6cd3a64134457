"""Names of places that data often abbreviates."""

from __future__ import annotations

_STATES = (
    "AL alabama|AK alaska|AZ arizona|AR arkansas|CA california|CO colorado|CT connecticut|DE delaware|"
    "FL florida|GA georgia|HI hawaii|ID idaho|IL illinois|IN indiana|IA iowa|KS kansas|KY kentucky|"
    "LA louisiana|ME maine|MD maryland|MA massachusetts|MI michigan|MN minnesota|MS mississippi|"
    "MO missouri|MT montana|NE nebraska|NV nevada|NH new hampshire|NJ new jersey|NM new mexico|"
    "NY new york|NC north carolina|ND north dakota|OH ohio|OK oklahoma|OR oregon|PA pennsylvania|"
    "RI rhode island|SC south carolina|SD south dakota|TN tennessee|TX texas|UT utah|VT vermont|"
    "VA virginia|WA washington|WV west virginia|WI wisconsin|WY wyoming"
)
US_STATES: dict[str, str] = {entry[3:]: entry[:2] for entry in _STATES.split("|")}
