module Main where

import Data.List (sort)

-- | A shape.
data Shape = Circle Double
           | Square Double

type Id = Int

class Area a where
  area :: a -> Double

instance Area Shape where
  area (Circle r) = r
  area (Square s) = s

-- | Doubles.
double :: Int -> Int
double x = x * 2

main :: IO ()
main = do
  print 1
  where
    y = 1
