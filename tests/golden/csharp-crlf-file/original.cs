using System;
using System.Collections.Generic;

namespace Library
{
    public class Shelf
    {
        private readonly List<string> titles = new List<string>();

        public int Count => titles.Count;

        public void Add(string title)
        {
            titles.Add(title);
        }

        public bool Remove(string title)
        {
            return titles.Remove(title);
        }
    }
}
